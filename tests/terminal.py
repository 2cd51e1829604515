# terminal.py - a program at a terminal of its own, and a person who waits for what it shows, types,
# resizes and leaves. For the tests of the command: PYTHONPATH=tests (person in cli.sh).
import fcntl, os, pty, re, select, signal, struct, termios, time


class Terminal:
    def __init__(self, words, lines=24, columns=100, locale="C.UTF-8", folder=None):
        self.ours, self.theirs = pty.openpty()
        self.resize(lines, columns)
        self.before, self.text, self.all = termios.tcgetattr(self.theirs), b"", b""
        self.child = os.fork()
        if self.child == 0:
            os.setsid()
            fcntl.ioctl(self.theirs, termios.TIOCSCTTY, 0)
            for f in (0, 1, 2): os.dup2(self.theirs, f)
            os.environ.update(TERM="xterm", NO_COLOR="1", LC_ALL=locale)
            if folder: os.chdir(folder)
            os.execv(words[0], words)

    def resize(self, lines, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self, seconds):  # whether anything came
        if not select.select([self.ours], [], [], seconds)[0]: return False
        more = os.read(self.ours, 65536)
        self.text += more
        self.all += more
        return True

    def until(self, pattern, seconds=20):  # what was shown up to it is past
        end = time.time() + seconds
        while not re.search(pattern, self.text) and time.time() < end: self.read(0.05)
        found = re.search(pattern, self.text)
        assert found, (pattern, self.text[-600:])
        self.text = self.text[found.end():]
        return found

    def type(self, keys):
        os.write(self.ours, keys)

    def signal(self, number):
        os.kill(self.child, number)

    def as_it_was(self):
        assert termios.tcgetattr(self.theirs) == self.before, "the terminal is not as it was"

    def stop_and_go_on(self):  # Ctrl-Z, and fg
        self.type(b"\x1a")
        assert os.WIFSTOPPED(os.waitpid(self.child, os.WUNTRACED)[1])
        self.as_it_was()
        self.signal(signal.SIGCONT)

    def end(self, seconds=20):  # its exit status, below 0 for a signal
        end, done = time.time() + seconds, 0
        while not done and time.time() < end:
            done, status = os.waitpid(self.child, os.WNOHANG)
            self.read(0.05)
        if not done: self.signal(signal.SIGKILL)
        assert done, ("it does not end", self.text[-600:])
        while self.read(0): pass
        self.as_it_was()
        os.close(self.ours)
        os.close(self.theirs)
        return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
