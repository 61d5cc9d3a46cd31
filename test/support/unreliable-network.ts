import type { Socket } from 'node:net';
import { DelayLine } from './delay-line.js';
import { MongodProxy } from './mongod-proxy.js';

/**
 * The network between a server and its mongod.
 *
 * `vanish` drops all traffic silently, like a switch, a firewall or a NAT that loses its state: no connection closes, and new ones are
 * accepted but stay silent. `appear` forwards new connections again, but the earlier ones never recover.
 *
 * `delay` holds all traffic, in order, until `hurry`, like a full or rerouted line.
 */
export class UnreliableNetwork extends MongodProxy {
  private isAway = false;
  private generation = 0;
  private delayMs = (): number => 0;

  vanish(): void {
    this.isAway = true;
    this.generation++;
  }

  appear(): void {
    this.isAway = false;
    this.generation++;
  }

  /** @param delayMs called for each packet, in each direction */
  delay(delayMs: () => number): void {
    this.delayMs = delayMs;
  }

  /** Ends the delay. Data in transit still arrives when it is due. */
  hurry(): void {
    this.delayMs = () => 0;
  }

  protected join(client: Socket): void {
    // Reads and drops the data, so the sender's system sees an acknowledgement, like a loss further on.
    if (this.isAway) return void client.resume();
    const { generation } = this;
    const carry = (from: Socket, to: Socket): void => {
      const line = new DelayLine();
      const pass = (act: () => void): void =>
        line.send(this.delayMs(), () => {
          if (generation === this.generation && !to.destroyed) act();
        });
      from.on('data', (chunk: Buffer) => pass(() => to.write(chunk)));
      // An end is delayed like any other packet.
      from.on('close', () => pass(() => to.destroy()));
    };
    const mongod = this.open();
    carry(client, mongod);
    carry(mongod, client);
  }
}
