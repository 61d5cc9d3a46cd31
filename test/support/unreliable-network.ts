import type { Socket } from 'node:net';
import { DelayLine } from './delay-line.js';
import { MongodProxy } from './mongod-proxy.js';

/**
 * The network between a server and its mongod.
 *
 * `vanish`: as when a switch, a firewall or a NAT forgets a connection. Everything disappears, in both directions and without a word;
 * nothing is closed, neither side is told. New connections are accepted and as silent. `appear` carries new connections again; those of
 * before stay lost for good.
 *
 * `delay`: as when a line is full or rerouted. Everything arrives, in order, and late, until `hurry`.
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

  /** @param delayMs asked for each packet, in each direction */
  delay(delayMs: () => number): void {
    this.delayMs = delayMs;
  }

  /** What is on its way still arrives when it is due. */
  hurry(): void {
    this.delayMs = () => 0;
  }

  protected join(client: Socket): void {
    // what is read and goes nowhere: the sender's system acknowledges it, as a network that loses it later would
    if (this.isAway) return void client.resume();
    const { generation } = this;
    const carry = (from: Socket, to: Socket): void => {
      const line = new DelayLine();
      const pass = (act: () => void): void =>
        line.send(this.delayMs(), () => {
          if (generation === this.generation && !to.destroyed) act();
        });
      from.on('data', (chunk: Buffer) => pass(() => to.write(chunk)));
      // an end is a packet like any other
      from.on('close', () => pass(() => to.destroy()));
    };
    const mongod = this.open();
    carry(client, mongod);
    carry(mongod, client);
  }
}
