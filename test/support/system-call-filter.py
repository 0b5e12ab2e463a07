# Runs a program under the seccomp filter that systemd would install for a unit, with libseccomp as systemd does.
# Arguments: what a forbidden call gets ("kill" or the number of an error), a file with the names of the allowed calls,
# one per line, the allowed address families, separated by commas, and the program with its arguments.

import ctypes
import os
import socket
import sys

refusal, names, families, *command = sys.argv[1:]
ALLOW = 0x7FFF0000
REFUSE = 0x80000000 if refusal == "kill" else 0x00050000 | int(refusal)
EQUAL = 4
# The families of Linux.
MOST_FAMILIES = 46
EAFNOSUPPORT = 97


class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


library = ctypes.CDLL("libseccomp.so.2")
library.seccomp_init.restype = ctypes.c_void_p
library.seccomp_init.argtypes = [ctypes.c_uint32]
library.seccomp_rule_add_array.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p]
library.seccomp_load.argtypes = [ctypes.c_void_p]
number_of = lambda name: library.seccomp_syscall_resolve_name(name.encode())


def must(result):
    if result != 0:
        raise OSError(-result, os.strerror(-result))


def load(filter_):
    must(library.seccomp_load(filter_))


# As systemd, one filter for each directive.
addresses = library.seccomp_init(ALLOW)
allowed = [getattr(socket, family) for family in families.split(",")]
for family in range(MOST_FAMILIES):
    if family not in allowed:
        unwanted = Comparison(0, EQUAL, family, 0)
        must(
            library.seccomp_rule_add_array(
                addresses, 0x00050000 | EAFNOSUPPORT, number_of("socket"), 1, ctypes.byref(unwanted)
            )
        )
load(addresses)

calls = library.seccomp_init(REFUSE)
with open(names, encoding="utf8") as file:
    for name in file.read().split():
        # Names that this machine does not know are none of its calls.
        if number_of(name) != -1:
            must(library.seccomp_rule_add_array(calls, ALLOW, number_of(name), 0, None))
load(calls)
os.execvp(command[0], command)
