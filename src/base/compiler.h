/* compiler.h - the few compiler extensions the project uses, behind one name each.
 *
 * Everything else in the tree is plain C11. Kernel sources are included once per vector width
 * between WEFT_TARGET_BEGIN_* and WEFT_TARGET_END, so that one translation unit, and with it the
 * single-file build, holds all widths. */
#ifndef WEFT_COMPILER_H
#define WEFT_COMPILER_H

#define WEFT_PRAGMA(x) _Pragma(#x)

/* Sanitizers check every access: unrolled kernels would take minutes to compile under them. */
#if defined(__SANITIZE_ADDRESS__)
#define WEFT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_SANITIZED 1
#endif
#endif
#ifndef WEFT_SANITIZED
#define WEFT_SANITIZED 0
#endif

#if WEFT_SANITIZED
#define WEFT_UNROLL(n)
#define WEFT_UNROLL_ALL
#define WEFT_SIMD
#elif defined(__clang__)
#define WEFT_UNROLL(n) WEFT_PRAGMA(clang loop unroll_count(n))
#define WEFT_UNROLL_ALL WEFT_PRAGMA(clang loop unroll(full))
#define WEFT_SIMD      WEFT_PRAGMA(clang loop vectorize(assume_safety))
#elif defined(__GNUC__)
#define WEFT_UNROLL(n) WEFT_PRAGMA(GCC unroll n)
#define WEFT_UNROLL_ALL WEFT_PRAGMA(GCC unroll 64)
#define WEFT_SIMD      WEFT_PRAGMA(GCC ivdep)
#else
#define WEFT_UNROLL(n)
#define WEFT_UNROLL_ALL
#define WEFT_SIMD
#endif

#if defined(__GNUC__) || defined(__clang__)
#define WEFT_INLINE     static inline __attribute__((always_inline, unused))
#define WEFT_NOINLINE   __attribute__((noinline))
#define WEFT_LIKELY(x)   __builtin_expect(!!(x), 1)
#define WEFT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define WEFT_INLINE     static inline
#define WEFT_NOINLINE
#define WEFT_LIKELY(x)   (x)
#define WEFT_UNLIKELY(x) (x)
#endif

/* x86 widths beyond the 128-bit baseline exist only where the compiler can switch targets. */
#if (defined(__x86_64__) || defined(_M_X64)) && (defined(__GNUC__) || defined(__clang__))
#define WEFT_X86 1
#else
#define WEFT_X86 0
#endif

/* Keeps a vector in its register: gcc reads memory again for each use of a value it has read. */
#if WEFT_X86
#define WEFT_IN_REGISTER(x) __asm__("" : "+v"(x))
#else
#define WEFT_IN_REGISTER(x) ((void)0)
#endif

/* Around the inclusion of a kernel source. Contraction is allowed between BEGIN and END only: the
 * command line switches it off, and clang's file-scope pragma has no pop. gcc vectorises and
 * unrolls kernels well at O3 only. WEFT_TARGET_BEGIN_128 is the machine's baseline, and
 * WEFT_TARGET_BEGIN_256 also serves short vectors that want fused multiply-add. */
#if defined(__clang__)
#define WEFT_TARGET_PLAIN \
    _Pragma("clang fp contract(fast)") \
    _Pragma("clang attribute push(__attribute__((hot)), apply_to = function)")
#define WEFT_TARGET_ON(set) \
    _Pragma("clang fp contract(fast)") \
    WEFT_PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define WEFT_TARGET_END _Pragma("clang attribute pop") _Pragma("clang fp contract(off)")
#elif defined(__GNUC__)
#if !defined(__OPTIMIZE__)   /* gcc at -O0 forgets the target after an optimize pragma */
#define WEFT_TARGET_PLAIN _Pragma("GCC push_options")
#elif WEFT_SANITIZED
#define WEFT_TARGET_PLAIN _Pragma("GCC push_options") _Pragma("GCC optimize(\"fp-contract=fast\")")
#else
#define WEFT_TARGET_PLAIN \
    _Pragma("GCC push_options") _Pragma("GCC optimize(\"O3\", \"fp-contract=fast\")")
#endif
#define WEFT_TARGET_ON(set) WEFT_TARGET_PLAIN WEFT_PRAGMA(GCC target(set))
#define WEFT_TARGET_END _Pragma("GCC pop_options")
#else
#define WEFT_TARGET_PLAIN
#define WEFT_TARGET_END
#endif
#define WEFT_TARGET_BEGIN_128 WEFT_TARGET_PLAIN
#define WEFT_TARGET_BEGIN_256 WEFT_TARGET_ON("avx2,fma")
#define WEFT_TARGET_BEGIN_512 WEFT_TARGET_ON("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
#define WEFT_TARGET_BEGIN_512_BF16 \
    WEFT_TARGET_ON("avx512bf16,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")

#endif
