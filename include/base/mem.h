/* base/mem: memory that is counted, so that a test can hold us to our word. */
#ifndef RAWTPS_BASE_MEM_H
#define RAWTPS_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Zeroed memory, aligned to 16 bytes. NULL if there is none (or bytes is absurd); 0 bytes give a
 * pointer that may be freed. The caller says what it wanted the memory for.
 */
void *mem_zalloc(size_t bytes);

/* mem_zalloc(n * size); NULL if the product overflows. */
void *mem_array(size_t n, size_t size);

/*
 * Make a block of mem_zalloc larger (or smaller), as realloc; ptr may be NULL. New bytes are
 * zero. On failure NULL, and the old block stays.
 */
void *mem_resize(void *ptr, size_t bytes);

/* A copy of len bytes of text with a zero behind it; NULL if there is no memory. */
char *mem_strndup(const char *text, size_t len);
char *mem_strdup(const char *text);

/* Gives back what mem_zalloc, mem_array, mem_resize or mem_strdup gave. NULL is fine. */
void mem_free(void *ptr);

/*
 * Large tables (a buffer pool's frames, 15,000 users, page versions): mapped, aligned to 2 MiB
 * where large, huge pages advised, zero, and not resident before they are touched.
 * NULL if refused. Free with the same size; NULL is fine.
 */
void *mem_large(size_t bytes);
void mem_large_free(void *ptr, size_t bytes);

/*
 * What all threads of the process hold by the functions above: bytes asked for now, and how many
 * allocations there have ever been (resizes count). A test reads both around a measurement.
 */
uint64_t mem_allocated_bytes(void);
uint64_t mem_allocations(void);

/*
 * Bring a cache line nearer. The barrier is for gcc, to which a function that does nothing but
 * prefetch has no effect at all, so that it drops the calls.
 */
static inline void mem_prefetch(const void *line)
{
    __builtin_prefetch(line);
    __asm__ volatile("" : : "r"(line));
}

#endif
