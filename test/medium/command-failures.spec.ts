import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../support/cli.js';
import { useDatabase } from '../support/mongo.js';

/** The operator sees one sentence without a stack. */
describe('a command that fails', () => {
  const { db, dbName } = useDatabase();
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-command-'));
  beforeAll(() => db.collection('posts').insertOne({ title: 'Kept' }));
  afterAll(() => rmSync(directory, { recursive: true }));

  const run = (command: string[], settings: Record<string, string> = {}) =>
    runCommand(command, { MONGODB_DATABASE: dbName, DATA_DIR: directory, ...settings });

  const silent = {
    MONGODB_URI: 'mongodb://127.0.0.1:9/?directConnection=true',
    MONGODB_SERVER_SELECTION_TIMEOUT_MS: '1000',
  };

  it('reports why it cannot write its file: openapi', async () => {
    const { status, text } = await run(['openapi', join(directory, 'none', 'x')]);

    expect([status, text]).toEqual([1, expect.stringMatching(/^[^\n]*ENOENT: [^\n]*\.\n$/)]);
  });

  it('names a missing folder or file before it connects to the database', async () => {
    const none = join(directory, 'none');

    expect(await run(['backup', '--out', join(none, 'x')], silent)).toEqual({
      status: 1,
      text: `The folder ${none} does not exist.\n`,
    });
    expect(await run(['restore', none], silent)).toEqual({
      status: 1,
      text: `File not found: ${none}. Nothing was changed.\n`,
    });
  });

  it('refuses to back up an empty database', async () => {
    const { status, text } = await run(['backup', '--out', join(directory, 'empty.backup')], {
      MONGODB_DATABASE: 'test_never_written',
    });

    expect([status, text]).toEqual([
      1,
      'The backup failed: the database test_never_written is empty. The incomplete file was deleted.\n',
    ]);
  });

  it('leaves no backup on a full disk and reports it', async () => {
    const out = join(directory, 'full.backup');
    symlinkSync('/dev/full', `${out}.partial`);

    const { status, text } = await run(['backup', '--out', out]);

    expect([status, text]).toEqual([
      1,
      expect.stringMatching(/^The backup failed: ENOSPC: .* The incomplete file was deleted\.$/m),
    ]);
    expect(text).not.toMatch(/^ {4}at /m);
    expect(readdirSync(directory).filter((name) => name.includes('full.backup'))).toEqual([]);
  });

  const withoutDatabase = [['tasks', 'status'], ['explain'], ['backup', '--out', join(directory, 'y')]];

  it.each(withoutDatabase)('names the address without a MongoDB: %s', async (...command) => {
    const { status, text } = await run(command, silent);

    expect([status, text]).toEqual([1, expect.stringMatching(/^No MongoDB listens at 127\.0\.0\.1:9[^\n]*\n$/)]);
  });

  it.each(withoutDatabase)('names a MONGODB_URI without a host: %s', async (...command) => {
    const { status, text } = await run(command, { ...silent, MONGODB_URI: 'mongodb://' });

    expect([status, text]).toEqual([1, expect.stringMatching(/^MONGODB_URI cannot be read: [^\n]*\n$/)]);
  });
});
