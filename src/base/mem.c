#include "base/mem.h"

#include "base/must.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What stands before each block, so that counts are those that were asked for. */
struct prefix {
    size_t bytes;
    uint64_t magic;
};
enum { HUGE_BYTES = 2 << 20 };
#define MEM_MAGIC 0x72617774707321aaull

static atomic_uint_fast64_t held_bytes, made;

static void count(uint64_t more, uint64_t less)
{
    atomic_fetch_add_explicit(&held_bytes, more - less, memory_order_relaxed);
    atomic_fetch_add_explicit(&made, more != 0, memory_order_relaxed);
}

static struct prefix *prefix_of(void *ptr)
{
    struct prefix *prefix = (struct prefix *)ptr - 1;

    must(prefix->magic == MEM_MAGIC);
    return prefix;
}

void *mem_zalloc(size_t bytes)
{
    return mem_resize(NULL, bytes);
}

void *mem_array(size_t n, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(n, size, &bytes) ? NULL : mem_zalloc(bytes);
}

void *mem_resize(void *ptr, size_t bytes)
{
    struct prefix *old = ptr ? prefix_of(ptr) : NULL, *prefix;
    size_t had = old ? old->bytes : 0, whole;

    if (__builtin_add_overflow(bytes, sizeof(*prefix), &whole) || whole > PTRDIFF_MAX) {
        return NULL;
    }
    prefix = old ? realloc(old, whole) : calloc(1, whole);
    if (!prefix) {
        return NULL;
    }
    if (old && bytes > had) {
        memset((char *)(prefix + 1) + had, 0, bytes - had);
    }
    *prefix = (struct prefix){.bytes = bytes, .magic = MEM_MAGIC};
    count(bytes, had);
    if (bytes == 0) {
        atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
    }
    return prefix + 1;
}

char *mem_strndup(const char *text, size_t len)
{
    char *copy = len < SIZE_MAX ? mem_zalloc(len + 1) : NULL;

    if (copy && len > 0) {
        memcpy(copy, text, len);
    }
    return copy;
}

char *mem_strdup(const char *text)
{
    return mem_strndup(text, strlen(text));
}

void mem_free(void *ptr)
{
    if (ptr) {
        struct prefix *prefix = prefix_of(ptr);

        count(0, prefix->bytes);
        prefix->magic = 0;
        free(prefix);
    }
}

static size_t whole_pages(size_t bytes)
{
    size_t unit = bytes >= HUGE_BYTES ? HUGE_BYTES : 4096;

    return (bytes + unit - 1) & ~(unit - 1);
}

void *mem_large(size_t bytes)
{
    size_t whole, mapped, front;
    char *at;

    if (bytes == 0 || bytes > PTRDIFF_MAX - 2 * (size_t)HUGE_BYTES) {
        return NULL;
    }
    whole = whole_pages(bytes);
    mapped = whole + (whole >= HUGE_BYTES ? HUGE_BYTES : 0);
    at = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
              0);
    if (at == MAP_FAILED) {
        return NULL;
    }
    if (mapped > whole) {
        front = -(uintptr_t)at & (HUGE_BYTES - 1);
        if (front > 0) {
            munmap(at, front);
        }
        if (mapped - whole > front) {
            munmap(at + front + whole, mapped - whole - front);
        }
        at += front;
        madvise(at, whole, MADV_HUGEPAGE); /* only an advice: refused is fine */
    }
    count(bytes, 0);
    return at;
}

void mem_large_free(void *ptr, size_t bytes)
{
    if (ptr) {
        must(munmap(ptr, whole_pages(bytes)) == 0);
        count(0, bytes);
    }
}

uint64_t mem_allocated_bytes(void)
{
    return atomic_load_explicit(&held_bytes, memory_order_relaxed);
}

uint64_t mem_allocations(void)
{
    return atomic_load_explicit(&made, memory_order_relaxed);
}
