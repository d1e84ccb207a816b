// rooms: base
/* Checksums against the vectors of their standards, and the fast one against the plain one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/checksum.h"
#include "base/rng.h"
#include <string.h>

static void crc32c_gives_the_vectors_of_rfc_3720(void **state)
{
    uint8_t data[48] = {0};
    static const uint8_t scsi_read[48] = {0x01, 0xc0, 0, 0,    0,    0, 0, 0,    0,    0, 0,    0,
                                          0,    0,    0, 0,    0x14, 0, 0, 0,    0,    0, 0x04, 0,
                                          0,    0,    0, 0x14, 0,    0, 0, 0x18, 0x28, 0, 0,    0,
                                          0,    0,    0, 0,    0x02, 0, 0, 0,    0,    0, 0,    0};

    assert_int_equal(crc32c(0, data, 32), 0x8a9136aa);
    memset(data, 0xff, 32);
    assert_int_equal(crc32c(0, data, 32), 0x62a8ab43);
    for (int i = 0; i < 32; i++) {
        data[i] = (uint8_t)i;
    }
    assert_int_equal(crc32c(0, data, 32), 0x46dd794e);
    for (int i = 0; i < 32; i++) {
        data[i] = (uint8_t)(31 - i);
    }
    assert_int_equal(crc32c(0, data, 32), 0x113fdb5c);
    assert_int_equal(crc32c(0, scsi_read, 48), 0xd9963a56);
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(crc32c_software(0, "123456789", 9), 0xe3069283);
    assert_int_equal(crc32c(0, "", 0), 0);
}

static void both_crcs_agree_at_every_length_and_place(void **state)
{
    static uint8_t data[9000];
    struct rng rng;

    rng_init(&rng, 1, 1);
    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)rng_u64(&rng);
    }
    for (size_t n = 0; n < 1700; n++) {
        uint32_t seed = (uint32_t)rng_u64(&rng);

        assert_int_equal(crc32c(seed, data + n % 17, n), crc32c_software(seed, data + n % 17, n));
    }
    assert_int_equal(crc32c(0, data, 8192), crc32c_software(0, data, 8192));
}

static void crc_carries_on(void **state)
{
    static const char text[] = "torn, stale, lost and misdirected pages are told apart on read";
    uint32_t whole = crc32c(0, text, sizeof(text));

    for (size_t cut = 0; cut <= sizeof(text); cut++) {
        assert_int_equal(crc32c(crc32c(0, text, cut), text + cut, sizeof(text) - cut), whole);
    }
}

static void sha256_gives_the_vectors_of_nist(void **state)
{
    char hex[SHA256_HEX];
    struct sha256 sha;

    assert_string_equal(sha256_hex("", 0, hex),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(sha256_hex("abc", 3, hex),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(
        sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex),
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    sha256_init(&sha);
    for (int i = 0; i < 1000; i++) {
        char block[1000];

        memset(block, 'a', sizeof(block));
        sha256_add(&sha, block, sizeof(block));
    }
    assert_string_equal(sha256_finish_hex(&sha, hex),
                        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void sha256_does_not_care_how_it_is_cut(void **state)
{
    char data[300], whole[SHA256_HEX], parts[SHA256_HEX];
    struct sha256 sha;

    memset(data, 'r', sizeof(data));
    for (size_t n = 0; n < sizeof(data); n++) {
        sha256_hex(data, n, whole);
        sha256_init(&sha);
        sha256_add(&sha, data, n / 3);
        sha256_add(&sha, data, n / 7);
        sha256_add(&sha, data, n - n / 3 - n / 7);
        assert_string_equal(sha256_finish_hex(&sha, parts), whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32c_gives_the_vectors_of_rfc_3720),
        cmocka_unit_test(both_crcs_agree_at_every_length_and_place),
        cmocka_unit_test(crc_carries_on),
        cmocka_unit_test(sha256_gives_the_vectors_of_nist),
        cmocka_unit_test(sha256_does_not_care_how_it_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
