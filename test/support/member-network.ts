import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { MongodProxy } from './mongod-proxy.js';

type Link = { client: Socket; mongod: Socket; senderPid: number | undefined; isLost: boolean };

/**
 * The network of one replica set member whose peers and clients use proxied addresses. `cut` silently drops the traffic of some
 * members; `heal` resets those connections, so that the members reconnect.
 */
export class MemberNetwork extends MongodProxy {
  private readonly links = new Set<Link>();
  private memberPids: () => number[] = () => [];
  private cutPids: readonly number[] = [];

  /** Sets the processes of the members. All other processes are clients, whose traffic is never cut. */
  know(memberPids: () => number[]): void {
    this.memberPids = memberPids;
  }

  cut(pids: readonly number[]): void {
    this.cutPids = pids;
    for (const link of this.links) link.isLost ||= this.isCut(link.senderPid);
  }

  heal(): void {
    this.cutPids = [];
    for (const { isLost, client, mongod } of this.links) {
      if (!isLost) continue;
      client.destroy();
      mongod.destroy();
    }
  }

  protected join(client: Socket): void {
    const senderPid = ownerOf(client, this.memberPids());
    const mongod = this.open();
    const link: Link = { client, mongod, senderPid, isLost: this.isCut(senderPid) };
    this.links.add(link);
    const carry = (from: Socket, to: Socket): void => {
      from.on('data', (chunk: Buffer) => {
        if (!link.isLost && !to.destroyed) to.write(chunk);
      });
      from.on('close', () => {
        this.links.delete(link);
        to.destroy();
      });
    };
    carry(client, mongod);
    carry(mongod, client);
  }

  private isCut(pid: number | undefined): boolean {
    return pid !== undefined && this.cutPids.includes(pid);
  }
}

/** Returns the process at the other end of a connection that this process has accepted on the loopback. */
function ownerOf({ remotePort, localPort }: Socket, pids: readonly number[]): number | undefined {
  const inode = inodeOf(remotePort!, localPort!) ?? inodeOf(remotePort!, localPort!);
  const socket = `socket:[${inode}]`;
  return pids.find((pid) =>
    readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === socket;
      } catch {
        return false; // The process has closed the connection.
      }
    }),
  );
}

/** Compares both ends, because another peer can reuse a port while the system remembers the last connection (TIME_WAIT). */
function inodeOf(from: number, to: number): string | undefined {
  const [near, far] = [from, to].map((port) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, local, remote, , , , , , , inode] = line.trim().split(/\s+/);
    if (local === near && remote === far) return inode;
  }
  return undefined; // A concurrent connection may hide another connection from a reader.
}
