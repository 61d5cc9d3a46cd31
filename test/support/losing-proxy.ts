import type { Socket } from 'node:net';
import { MongodProxy } from './mongod-proxy.js';

/** Delivers a commit, drops its reply, and then refuses connections for a while. */
export class LosingProxy extends MongodProxy {
  lost = 0;
  refused = 0;
  private refusesForMs = 0;
  private isLosing = false;
  private refusesUntil = 0;

  loseNextCommit(refusesForMs: number): void {
    this.isLosing = true;
    this.refusesForMs = refusesForMs;
  }

  /** Breaks all open connections. */
  breakOnce(): void {
    this.breakAll();
  }

  /** Breaks all open connections and refuses new ones for a while. */
  refuseFor(ms: number): void {
    this.refusesUntil = performance.now() + ms;
    this.breakAll();
  }

  protected join(client: Socket): void {
    if (performance.now() < this.refusesUntil) {
      this.refused++;
      client.destroy();
      return;
    }
    const mongod = this.open();
    client.on('close', () => mongod.destroy());
    mongod.on('close', () => client.destroy());
    let isCommitting = false;
    client.on('data', (chunk: Buffer) => {
      if (this.isLosing && chunk.includes('commitTransaction')) {
        this.isLosing = false;
        isCommitting = true;
      }
      mongod.write(chunk);
    });
    mongod.on('data', (chunk: Buffer) => {
      if (!isCommitting) return void client.write(chunk);
      this.lost++;
      this.refuseFor(this.refusesForMs);
    });
  }
}
