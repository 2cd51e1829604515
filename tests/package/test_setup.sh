#!/bin/sh
# test_setup.sh - tools/setup, on a machine that has a compiler and nothing else: what make demo asks
# for installs nothing, what make test asks for installs what the tests need.
. tests/shell.sh

mkdir "$scratch/bin"
for tool in sh env dirname cat grep mkdir id ls mktemp rm tail gcc make; do
    ln -s "$(command -v $tool || echo /bin/true)" "$scratch/bin/$tool"
done
cat >"$scratch/bin/apt-get" <<END
#!/bin/sh
echo "\$*" >>"$scratch/asked"
END
printf '#!/bin/sh\nexec "$@"\n' >"$scratch/bin/sudo" # -n true, and -n env as it is used
chmod +x "$scratch/bin/apt-get" "$scratch/bin/sudo"
bare() { (cp -r tools "$scratch/" && cd "$scratch" && env PATH="$scratch/bin" tools/setup "$@"); }
asked() { grep -q "install.* $1" "$scratch/asked"; }

check "setup build" bare build
check "which installs nothing" test ! -e "$scratch/asked"
rm "$scratch/bin/gcc"
have gcc && [ -e /usr/sbin/gcc ] || { # where sbin is bin, gcc cannot be hidden
    check "without a compiler" bare build
    check "one is installed" asked gcc
    check "and nothing for tests" sh -c "! grep -E 'clang|iverilog|g\\+\\+|openblas' '$scratch/asked'"
    rm -f "$scratch/asked"
    check "setup" bare
    for package in clang g++ pkg-config iverilog; do check "for tests: $package" asked $package; done
}
finish
