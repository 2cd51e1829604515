#!/bin/sh
# test_package.sh - what users get: the headers in C and C++, what the library exports, and an
# installation that pkg-config, CMake, man and the shells find.
. tests/shell.sh

for header in include/weft/*.h; do echo "#include <weft/${header##*/}>"; done >"$scratch/main.c"
echo 'int main() { return weft_version()[0] == 0; }' >>"$scratch/main.c"
cp "$scratch/main.c" "$scratch/main.cpp"
strict="-Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only"

for compiler in gcc clang; do
    if have $compiler; then check "headers, C11, $compiler" $compiler -std=c11 $strict "$scratch/main.c"
    else skip "headers, C11, $compiler" "not installed"; fi
done
for compiler in g++ clang++; do
    if have $compiler; then check "headers, C++17, $compiler" $compiler -std=c++17 $strict "$scratch/main.cpp"
    else skip "headers, C++17, $compiler" "not installed"; fi
done

only_ours() { ! nm -D --defined-only "$build/libweft.so" | awk '{ print $NF }' | grep -v '^weft_'; }
if have nm; then check "libweft.so exports only weft_ names" only_ours; else skip exports "no nm"; fi

# Stands in for ldconfig, and remembers that it ran.
cat >"$scratch/ldconfig" <<END
#!/bin/sh
echo ran >>"$scratch/renewed"
echo "	libweft.so.0 (libc6) => $scratch/own/lib/libweft.so.0"
END
chmod +x "$scratch/ldconfig"
root=$scratch/root
check "install" make install BUILD="$build" CC="$cc" DESTDIR="$root" PREFIX=/usr/local LDCONFIG="$scratch/ldconfig"
check "a package leaves the linker alone" test ! -e "$scratch/renewed"
export LD_LIBRARY_PATH="$root/usr/local/lib"
export PKG_CONFIG_PATH="$root/usr/local/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"

share=$root/usr/local/share
check "the command" "$root/usr/local/bin/weft" --version
for name in $("$build/weft" help --names); do
    check "weft-$name(1)" grep -q '^\.SH NAME' "$share/man/man1/weft-$name.1"
done
only_those() { # pages: weft(1), and one for each command
    [ "$(ls "$share/man/man1" | wc -l)" -eq $(($("$build/weft" help --names | wc -l) + 1)) ]
}
check "no other pages" only_those
check "completion for bash" grep -q '^complete -F _weft weft' "$share/bash-completion/completions/weft"
check "completion for zsh" grep -q '^#compdef weft' "$share/zsh/site-functions/_weft"
check "completion for fish" grep -q '^complete -c weft' "$share/fish/vendor_completions.d/weft.fish"
check "data" test -s "$share/weft/digits/train.npz"
check "and the command finds it" sh -c \
    "cd / && '$root/usr/local/bin/weft' data path flowers | grep -q 'share/weft/flowers.csv\$'"
if have man && have groff; then
    check "man weft-bench" sh -c "man -M '$share/man' weft-bench | grep -q -e '--threads'"
else
    skip "man weft-bench" "man or groff is not installed"
fi

if have pkg-config; then
    check "through pkg-config" sh -c \
        "$cc -std=c11 $scratch/main.c \$(pkg-config --cflags --libs weft) -o $scratch/shared && $scratch/shared"
    check "statically" sh -c \
        "$cc -std=c11 $scratch/main.c -I$root/usr/local/include $root/usr/local/lib/libweft.a -lm -lpthread -ldl -o $scratch/static && $scratch/static"
    if have g++; then
        check "through pkg-config in C++" sh -c \
            "g++ -std=c++17 $scratch/main.cpp \$(pkg-config --cflags --libs weft) -o $scratch/plus && $scratch/plus"
    fi
else
    skip "through pkg-config" "not installed"
fi

if have cmake; then
    mkdir "$scratch/project"
    cp "$scratch/main.c" "$scratch/project"
    cat >"$scratch/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(weft 0.1 REQUIRED)
foreach(kind weft static)
  add_executable(user-${kind} main.c)
  target_link_libraries(user-${kind} weft::${kind})
endforeach()
CMAKE
    check "through CMake" sh -c "cmake -S $scratch/project -B $scratch/cmake -DCMAKE_PREFIX_PATH=$root/usr/local &&
        cmake --build $scratch/cmake && $scratch/cmake/user-weft && $scratch/cmake/user-static"
else
    skip "through CMake" "not installed"
fi

own() { # target: in place, not for a package; prints what the target itself says
    make -s "$1" BUILD="$build" CC="$cc" PREFIX="$scratch/own" LDCONFIG="$scratch/ldconfig" >"$scratch/said" &&
        ! grep 'does not find' "$scratch/said"
}
files_in() { find "$1" ! -type d; }
check "install in place" own install
check "renews the linker's cache" test -s "$scratch/renewed"
check "as many files" sh -c "[ $(files_in "$scratch/own" | wc -l) -eq $(files_in "$root" | wc -l) ]"
echo mine >"$scratch/own/share/weft/mine"
rm "$scratch/renewed"
check "uninstall" own uninstall
check "renews it too" test -s "$scratch/renewed"
check "uninstall leaves what is not Weft's" test "$(files_in "$scratch/own")" = "$scratch/own/share/weft/mine"
check "uninstall of a package" make uninstall BUILD="$build" DESTDIR="$root" PREFIX=/usr/local
check "leaves no file" test -z "$(files_in "$root")"
check "nor a folder of Weft's own" test -z "$(find "$root" -name 'weft*')"
finish
