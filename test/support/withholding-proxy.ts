import type { Socket } from 'node:net';
import { MongodProxy } from './mongod-proxy.js';

/** Delivers commits and withholds their replies. The client waits between its commit and its next command. */
export class WithholdingProxy extends MongodProxy {
  isWithholding = false;

  protected join(client: Socket): void {
    const mongod = this.open();
    client.on('close', () => mongod.destroy());
    mongod.on('close', () => client.destroy());
    let isCommitting = false;
    client.on('data', (chunk: Buffer) => {
      if (this.isWithholding && chunk.includes('commitTransaction')) isCommitting = true;
      mongod.write(chunk);
    });
    mongod.on('data', (chunk: Buffer) => {
      if (!isCommitting) client.write(chunk);
    });
  }
}
