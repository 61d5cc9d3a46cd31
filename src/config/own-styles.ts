import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StartupError } from '../common/errors.js';

/** Reads SITE_STYLESHEET. Its path changes with its content. @throws StartupError */
export function readOwnStyles(file: string | undefined): { path: string; text: string } | undefined {
  if (file === undefined) return undefined;
  try {
    const text = readFileSync(file, 'utf8');
    return { path: `/own-styles/${hash('sha1', text, 'base64url').slice(0, 10)}.css`, text };
  } catch (error) {
    throw new StartupError(`SITE_STYLESHEET cannot be read: ${(error as Error).message}.`, error);
  }
}
