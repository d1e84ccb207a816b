#!/bin/sh
# Settings drawn at random, all of them allowed: every run ends, does work, and its checks hold.
# SWARM=FIRST-LAST runs other seeds than the few that take a minute.
# limit: 300, slow
. "$ROOT/tests/lib/tap.sh"
needs python3

cat > swarm.py <<'P'
import json
import os
import random
import re
import shutil
import subprocess
import sys

DATABASE = {
    'page': ['4KiB', '16KiB', '64KiB'], 'index_set': ['lean', 'full'],
    'log_capacity': ['2MiB', '64MiB', '1GiB'], 'log_block': ['512', '4KiB', '8KiB'],
    'log_write': ['64KiB', '1MiB'], 'log_depth': ['1', '2', '64'],
    'log_durability': ['flush', 'fua'], 'log_sync': ['yes', 'no'],
    'checkpoint': ['0s', '100ms', '1s', '5m'], 'checkpoint_depth': ['1', '8', '1024'],
    'io_capacity': ['1', '200', '20000'], 'io_capacity_max': ['1', '2000', '40000'],
    'lru_scan_depth': ['1', '2', '64', '1024'], 'doublewrite': ['yes', 'no'],
    'full_page_writes': ['yes', 'no'], 'data_checksums': ['yes', 'no'],
    'os_cache': ['0B', '4MiB', '1GiB'],
    'optimizer_dives': ['yes', 'no'],
    'change_buffer': ['yes', 'no'], 'gather': ['1', '8', '32'], 'char_bytes': ['1', '2'],
    'leaf_fill': ['5%', '50%', '100%'], 'k_fill': ['settled', 'pristine'],
    'tpcc_tables': ['sysbench-tpcc', 'rawtps'],
    'cpu_sigma': ['0', '1'], 'cpu_tail_share': ['0%', '5%'], 'cpu_tail_factor': ['1', '20'],
    'cpu_statement': ['1us', '50us'], 'cpu_transaction': ['10us', '2ms'],
    'lock_timeout': ['20ms', '1s'],
}


def only():
    """The keys of `database` that not every profile has, as the program's document says."""
    told = subprocess.run([os.environ['RAWTPS'], 'help', 'scenario'], capture_output=True,
                          text=True, check=True).stdout
    told = told.split('## `database:`')[1].split('\n## ')[0]
    names = '(?:innodb|postgres|sqlserver)'
    found = re.findall(r'^\| `(\w+)` \|.*\| (%s(?:, %s)*): ' % (names, names), told, re.M)
    assert len(found) > 15, found
    return {key: profiles.split(', ') for key, profiles in found}


ONLY = only()


def some(dice, table, share):
    return {key: dice.choice(values) for key, values in table.items() if dice.random() < share}


def tpcc(dice):
    ret = {'kind': 'tpcc', 'warehouses': dice.choice([1, 2, 5]),
           'users': dice.choice([1, 2, 10, 50]),
           'mix': dice.choice(['deck', 'weights', '{new_order: 1}', '{delivery: 1}',
                               '{stock_level: 1}', '{payment: 3, order_status: 2}',
                               '{new_order: 1, delivery: 5}'])}
    ret.update(dice.choice([{'cycle': '1ms'}, {'cycle': '100ms'}, {'wait_factor': 0}]))
    ret.update(some(dice, {'nurand_c': ['per_call'], 'local_only': ['yes'],
                           'delivery_commit': ['per_district'],
                           'delivery_deferred': ['no']}, 0.3))
    return ret


def sysbench(dice):
    ret = {'kind': 'sysbench', 'tables': dice.choice([1, 4, 50]),
           'rows': dice.choice([100, 101, 1000, 20000]), 'threads': dice.choice([1, 2, 16]),
           'mix': 'oltp_' + dice.choice(['read_write', 'read_only', 'write_only', 'point_select',
                                         'update_index', 'update_non_index', 'insert', 'delete']),
           'rand_type': dice.choice(['uniform', 'gaussian', 'special', 'pareto', 'zipfian'])}
    ret.update(some(dice, {'range_size': [1, 7, 100], 'skip_trx': ['yes']}, 0.3))
    return ret


def block(dice):
    mixed = '[{size: 4KiB, share: 70%%}, {size: %s, share: 30%%}]'
    ret = {'kind': 'block', 'outstanding': dice.choice(['1', '32', '{threads: 4, queue: 8}']),
           'read': dice.choice(['0%', '33%', '100%']),
           'size': dice.choice(['512', '1536', '8KiB', '1MiB', mixed % '512', mixed % '7KiB'])}
    ret.update(dice.choice([{'place': 'random'}, {'place': 'sequential'}, {'random': '50%'}]))
    ret.update(some(dice, {'hot': ['{share: 80%, range: 20%}', '{share: 100%, range: 1%}'],
                           'range': ['1%', '100MiB'], 'align': ['512', '4KiB', '1536']}, 0.3))
    return ret


def scenario(dice):
    kind = dice.choice([tpcc, tpcc, sysbench, block])
    workload, phases = kind(dice), {'start': dice.choice(['warm', 'cold']), 'sample': '1s',
                                    'settle': dice.choice(['0s', '1s'])}
    if dice.random() < 0.2:
        workload['work'] = dice.choice([1, 100, 2000])
        phases['sample'] = '1h'
    elif dice.random() < 0.25:
        workload['rate'] = dice.choice(['20/s', '1k/s', '50k/s'])
        workload['arrivals'] = dice.choice(['constant', 'poisson'])
    if dice.random() < 0.2:
        phases['precondition'] = dice.choice(['1s', '{amount: 5MiB, max: 2s}'])
    drive = dice.choice([{'kind': 'sim', 'like': 'h3201-e1s'}, {'kind': 'sim', 'like': 'sata-slow'},
                         {'kind': 'sim', 'like': 'gen5-fast', 'dies': 2},
                         {'kind': '"null"', 'latency': '200us'}])
    ret = {'seed': dice.randrange(1, 1000), 'vms': dice.choice([1, 1, 2, 3]), 'vm': 'small',
           'workload': workload, 'drive': drive, 'phases': phases}
    if kind is not block:
        profile = dice.choice(['innodb', 'postgres', 'sqlserver'])
        ret['database'] = {'profile': profile,
                           'buffer': dice.choice(['1MiB', '2MiB', '32MiB', '16GiB']),
                           **{key: value for key, value in some(dice, DATABASE, 0.12).items()
                              if profile in ONLY.get(key, profile)}}
    return ret


def text(tree, depth=0):
    lines = []
    for key, value in tree.items():
        if isinstance(value, dict):
            lines.append(' ' * depth + key + ':\n' + text(value, depth + 2))
        else:
            lines.append(' ' * depth + '%s: %s\n' % (key, value))
    return ''.join(lines)


def fault(seed):
    tree = scenario(random.Random(seed))
    with open('swarm.yaml', 'w', encoding='ascii') as file:
        file.write(text(tree))
    shutil.rmtree('swarm', ignore_errors=True)
    try:
        done = subprocess.run([os.environ['RAWTPS'], 'run', 'swarm.yaml', '--virtual', '-q', '-o',
                               'swarm'], capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return 'it does not end'
    if done.returncode != 0:
        return 'exit code %d: %s' % (done.returncode, done.stderr.decode())
    with open('swarm/run.json', encoding='utf-8') as file:
        result = json.load(file)
    for vm in result['vms']:
        ended = vm['done'] + vm['rolled_back'] + vm['failed']
        if ended == 0:
            return '%s: nothing was done' % vm['name']
        work = tree['workload'].get('work')
        # who had begun before the sample ends within it
        begun = vm['users'] if len(result['phases']) > 1 else 0
        if work and not work <= ended <= max(work, begun):
            return '%s: %d done, not %d' % (vm['name'], ended, work)
    return None


first, last = map(int, sys.argv[1].split('-'))
for seed in range(first, last + 1):
    why = fault(seed)
    if why:
        print('not ok %d - seed %d' % (seed, seed))
        print(''.join('# %s\n' % line for line in why.splitlines()), end='')
        print(''.join('# ' + line for line in open('swarm.yaml', encoding='ascii')), end='')
    sys.stdout.flush()
P

run python3 swarm.py "${SWARM:-1-80}"
is 'every run ends well' "$out$err" ''
