import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TOUCH_EVERY_MS = 3_600_000;

/** A directory for the sockets of this server, accessible only to its user. */
export class SocketDirectory {
  private readonly path = mkdtempSync(join(tmpdir(), 'opencanvas-'));
  /** Touches the sockets, because cleaners of temporary directories delete old files. */
  private readonly touching = setInterval(() => this.touch(), TOUCH_EVERY_MS).unref();

  pathOf(name: string): string {
    return join(this.path, name);
  }

  delete(): void {
    clearInterval(this.touching);
    rmSync(this.path, { recursive: true, force: true });
  }

  private touch(): void {
    const now = new Date();
    try {
      for (const name of ['.', ...readdirSync(this.path)]) utimesSync(this.pathOf(name), now, now);
    } catch {
      // A process that listens on a socket is being replaced.
    }
  }
}
