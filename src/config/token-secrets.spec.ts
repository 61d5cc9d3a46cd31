import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from './app-config.js';
import { sharedEnvironment } from './shared-environment.js';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

describe('secrets', () => {
  let dataDir: string;
  const configOf = (environment: Record<string, string> = {}) => loadConfig({ DATA_DIR: dataDir, ...environment });
  const secretsOf = (environment?: Record<string, string>) => configOf(environment).auth.tokenSecrets;
  const file = () => join(dataDir, 'auth-token-secret');

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'opencanvas-secrets-'));
  });
  afterEach(() => {
    rmSync(dataDir, { recursive: true });
  });

  it('are one or a list in the order of use', () => {
    expect(secretsOf({ AUTH_TOKEN_SECRET: A })).toEqual([A]);
    expect(secretsOf({ AUTH_TOKEN_SECRETS: ` ${B} , ${A}` })).toEqual([B, A]);
  });

  it.each([
    ['short', `${A},short`, 'secret 2 of 2 has 5 characters'],
    ['empty', `${A},,${B}`, 'secret 2 of 3 has 0 characters'],
    ['missing at the end', `${A},`, 'secret 2 of 2 has 0 characters'],
    ['of blanks', ' ', 'secret 1 of 1 has 0 characters'],
  ])('are refused by name when one is %s', (_, AUTH_TOKEN_SECRETS, words) => {
    expect(() => secretsOf({ AUTH_TOKEN_SECRETS })).toThrow(`  AUTH_TOKEN_SECRETS: ${words}, must be at least 32`);
  });

  it('are refused when both variables are set, so that none is ignored', () => {
    expect(() => secretsOf({ AUTH_TOKEN_SECRET: A, AUTH_TOKEN_SECRETS: B })).toThrow(
      'AUTH_TOKEN_SECRET or AUTH_TOKEN_SECRETS, not both',
    );
  });

  it('are the same in the child processes of a server, also with a comma in one of them', () => {
    for (const [name, value] of [
      ['AUTH_TOKEN_SECRET', `${A},${B}`],
      ['AUTH_TOKEN_SECRETS', `${B},${A}`],
    ] as const) {
      const given = { [name]: value };
      const config = configOf(given);
      const shared = sharedEnvironment(config, { uri: 'mongodb://127.0.0.1/', port: 3000 });
      expect(secretsOf({ ...given, ...shared })).toEqual(config.auth.tokenSecrets);
    }
  });

  it('are generated once beside the data, readable by one user', () => {
    const [made] = secretsOf();
    expect(made.length).toBeGreaterThanOrEqual(64);
    expect(secretsOf()).toEqual([made]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('are one per line in their file, and the first one signs', () => {
    const [old] = secretsOf();
    writeFileSync(file(), `${B}\n${old}\n`);
    expect(secretsOf()).toEqual([B, old]);
  });

  it.each(['', '\n', 'short\n', `${A}\n\nshort`])(
    'beside the data are refused by the name of the file as %j',
    (text) => {
      writeFileSync(file(), text);
      expect(() => secretsOf()).toThrow(`Every line of ${file()} must be a secret of at least 32 characters`);
    },
  );
});
