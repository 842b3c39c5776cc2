"""A network in which every address is this machine's: who is dialled, and a name server that lies.

Only for classes that run inside of `tally.inside_namespaces`. The kernel gets a local route for all
addresses, so that a connection to any of them stays on the loopback, where a packet socket sees its first
packet. Nothing leaves the machine.
"""

import ipaddress
import os
import socket
import struct
import subprocess
import threading
import time

NAME_SERVER = "127.0.0.53"
A, CNAME, AAAA, HTTPS = 1, 5, 28, 65
ETH_P_ALL, ETH_P_IP, ETH_P_IPV6 = 0x0003, 0x0800, 0x86DD
SYN, SYN_ACK = 0x02, 0x12
# Networks that carry an IPv4 address, and at which byte.
CARRIERS = [("::ffff:0:0/96", 12), ("::ffff:0:0:0/96", 12), ("::/96", 12), ("64:ff9b::/96", 12),
            ("64:ff9b:1::/48", 12), ("2002::/16", 2)]


def all_addresses_are_here(folder):
    """Routes every address to the loopback, and names our name server as the system's."""
    for command in (["ip", "link", "set", "lo", "up"],
                    ["ip", "route", "add", "local", "0.0.0.0/0", "dev", "lo"],
                    ["ip", "-6", "route", "add", "local", "::/0", "dev", "lo"]):
        subprocess.run(command, check=True)
    file = os.path.join(folder, "resolv.conf")
    with open(file, "w", encoding="ascii") as out:
        out.write(f"nameserver {NAME_SERVER}\nsearch corp.example\noptions ndots:3\n")
    subprocess.run(["mount", "--bind", file, "/etc/resolv.conf"], check=True)


def is_public(text):
    """Whether an address is of the public Internet, by Python's tables and not by the server's."""
    address = ipaddress.ip_address(text)
    if address.version == 6:
        for network, at in CARRIERS:
            if address in ipaddress.ip_network(network):
                return False
        if address not in ipaddress.ip_network("2000::/3") or address in ipaddress.ip_network("2001::/23"):
            return False
    return address.is_global and not address.is_multicast


class Watch(threading.Thread):
    """Sees the first packet of each connection of this network."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.bind(("lo", 0))
        # What a receiver of ours is called by, which is no fault.
        self.ours = set()
        self.lock = threading.Lock()
        self.dialled = []
        self.start()

    def run(self):
        while True:
            packet, source = self.socket.recvfrom(256)
            # Each packet on the loopback is seen going out and coming in.
            if source[2] == socket.PACKET_OUTGOING:
                continue
            found = self.target(packet)
            if found and found not in self.ours:
                with self.lock:
                    self.dialled.append(found)

    @staticmethod
    def target(packet):
        kind = struct.unpack_from("!H", packet, 12)[0]
        if kind == ETH_P_IP and packet[23] == socket.IPPROTO_TCP:
            at, address = 14 + (packet[14] & 15) * 4, socket.inet_ntop(socket.AF_INET, packet[30:34])
        elif kind == ETH_P_IPV6 and packet[20] == socket.IPPROTO_TCP:
            at, address = 54, socket.inet_ntop(socket.AF_INET6, packet[38:54])
        else:
            return None
        port, flags = struct.unpack_from("!H", packet, at + 2)[0], packet[at + 13]
        return (address, port) if flags & SYN_ACK == SYN else None

    def taken(self):
        """What was dialled since the last call; waits until all packets of a marker have been seen."""
        with socket.socket() as marker:
            marker.settimeout(1)
            marker.connect_ex(("127.0.0.9", 9))
        end = time.monotonic() + 2
        while time.monotonic() < end:
            with self.lock:
                if ("127.0.0.9", 9) in self.dialled:
                    found = [one for one in self.dialled if one != ("127.0.0.9", 9)]
                    self.dialled = []
                    return found
            time.sleep(0.0005)
        raise RuntimeError("the packet socket sees nothing")


def question(packet):
    """The name and the type that are asked for, and where the question ends."""
    at, labels = 12, []
    while packet[at]:
        labels.append(packet[at + 1:at + 1 + packet[at]].decode(errors="replace").lower())
        at += packet[at] + 1
    return ".".join(labels), struct.unpack_from("!H", packet, at + 1)[0], at + 5


def name_bytes(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".") if label) + b"\0"


def record(kind, value, name=b"\xc0\x0c", ttl=0):
    if kind in (A, AAAA):
        data = ipaddress.ip_address(value).packed
    elif kind == CNAME:
        data = name_bytes(value)
    else:
        data = value
    return name + struct.pack("!HHIH", kind, 1, ttl, len(data)) + data


class NameServer:
    """Answers by a function of name, type and the number of questions for the name before, which gives the
    records, or bytes in the place of all of the answer, or None for silence. Over UDP and TCP."""

    def __init__(self, answers):
        self.answers, self.asked, self.names = answers, {}, []
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind((NAME_SERVER, 53))
        self.tcp = socket.create_server((NAME_SERVER, 53))
        threading.Thread(target=self.serve_udp, daemon=True).start()
        threading.Thread(target=self.serve_tcp, daemon=True).start()

    def reply(self, packet, tcp):
        name, kind, end = question(packet)
        self.names.append(name)
        before = self.asked.get((name, kind), 0)
        self.asked[name, kind] = before + 1
        found = self.answers(name, kind, before, tcp)
        if found is None or isinstance(found, bytes):
            return packet[:2] + found if found else None
        flags, answers, more = 0x8180, found, []
        if isinstance(found, tuple):
            flags, answers, more = found
        head = packet[:2] + struct.pack("!HHHHH", flags, 1, len(answers), 0, len(more))
        return head + packet[12:end] + b"".join(answers) + b"".join(more)

    def serve_udp(self):
        while True:
            packet, source = self.udp.recvfrom(4096)
            answer = self.reply(packet, False)
            if answer:
                if len(answer) > 1200:
                    _, _, end = question(packet)
                    answer = answer[:2] + struct.pack("!HHHHH", 0x8380, 1, 0, 0, 0) + packet[12:end]
                self.udp.sendto(answer, source)

    def serve_tcp(self):
        while True:
            link, _ = self.tcp.accept()
            threading.Thread(target=self.serve_link, args=(link,), daemon=True).start()

    def serve_link(self, link):
        with link:
            try:
                while head := link.recv(2):
                    packet = link.recv(struct.unpack("!H", head)[0])
                    answer = self.reply(packet, True)
                    if answer:
                        link.sendall(struct.pack("!H", len(answer)) + answer)
            except (OSError, struct.error, IndexError):
                pass
