import { StartupError } from '../../common/errors.js';
import { tryPort } from '../processes/try-port.js';

const ATTEMPTS = 20;

/** The port that the workers share. A configured port that is taken is an error; the default one is replaced by the next free one. */
export async function choosePort(host: string, port: number, isExplicit: boolean): Promise<number> {
  for (let candidate = port; candidate < port + ATTEMPTS && candidate <= 65_535; candidate++) {
    const outcome = await tryPort(host, candidate);
    if (typeof outcome === 'number') return outcome;
    if (outcome === 'EADDRINUSE' && !isExplicit) continue;
    throw new StartupError(explain(outcome, host, candidate));
  }
  throw new StartupError(
    `Ports ${port} to ${port + ATTEMPTS - 1} of ${host} are all taken; name a free one with HTTP_PORT.`,
  );
}

function explain(code: string, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} (HTTP_PORT) is taken by another program; stop that one or choose another port.`;
    case 'EACCES':
      return `Port ${port} (HTTP_PORT) needs more rights than this account has; choose one from 1024 up.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HTTP_HOST is ${host}, which is not an address of this machine.`;
    default:
      return `Port ${port} of ${host} cannot be opened (${code}).`;
  }
}
