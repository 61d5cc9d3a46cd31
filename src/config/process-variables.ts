import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';

/** Set by the first process for its children, never by an operator: whether MONGODB_URI is that of its own mongod. */
const EMBEDDED_MONGOD = 'OPENCANVAS_EMBEDDED_MONGOD';

export function embeddedMongodVariable(isEmbedded: boolean): Record<string, string> {
  return isEmbedded ? { [EMBEDDED_MONGOD]: 'true' } : {};
}

export function isMongodEmbedded(environment: NodeJS.ProcessEnv): boolean {
  return environment[EMBEDDED_MONGOD] === 'true';
}

/** Set by the first process for its children, never by an operator: the socket of the host's writer. */
const WRITER_SOCKET = 'OPENCANVAS_WRITER_SOCKET';

export function withWriterSocket(environment: Record<string, string>, path: string): Record<string, string> {
  return { ...environment, [WRITER_SOCKET]: path };
}

export function writerSocketOf(environment: NodeJS.ProcessEnv): string | undefined {
  return environment[WRITER_SOCKET];
}

/** Set by the first process for its children, never by an operator: identifies this start of the host among all hosts. */
const HOST_ID = 'OPENCANVAS_HOST_ID';
const BYTES = 12;

export function hostIdVariable(id: string): Record<string, string> {
  return { [HOST_ID]: id };
}

export function hostIdOf(environment: NodeJS.ProcessEnv): string {
  return environment[HOST_ID] ?? randomBytes(BYTES).toString('hex');
}

/** Gives this process a home directory if its user has none, because the library that starts mongod requires one. */
export function ensureHome(directory: string): void {
  try {
    homedir();
  } catch {
    // The user has no HOME and no entry in the passwd file.
    process.env.HOME = directory;
  }
}
