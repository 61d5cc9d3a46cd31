import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { newSecrets, signedHeaders } from '../../src/webhooks/webhook-secrets.js';
import { useApp } from '../support/app.js';
import { describeWith } from '../support/optional.js';
import { freePorts } from '../support/server-process.js';
import { until, WAIT_MS } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const chat = await WebhookReceiver.start();
const [port] = await freePorts(1);
afterAll(() => chat.stop());

const guide = readFileSync('docs/webhooks.md', 'utf8');
const directory = mkdtempSync(join(tmpdir(), 'opencanvas-webhooks-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const before = newSecrets(null, Date.now());
const secrets = newSecrets(before, Date.now());
const body = JSON.stringify({ id: '6650c3a2f1d2b3c4d5e6f7d1', type: 'post.published', data: { id: 'ü' } });
const signed = (at = Date.now(), text = body) => signedHeaders(secrets, '6650c3a2f1d2b3c4d5e6f7d1', text, at);
type Case = [name: string, isValid: boolean, secret: string, headers: Record<string, string>, body: string];
const CASES: Case[] = [
  ['the current secret', true, secrets.current, signed(), body],
  ['the previous secret', true, before.current, signed(), body],
  ['another secret', false, newSecrets(null, 0).current, signed(), body],
  ['another body', false, secrets.current, signed(), `${body} `],
  ['an old message', false, secrets.current, signed(Date.now() - 3_600_000), body],
  ['a message of the future', false, secrets.current, signed(Date.now() + 3_600_000), body],
];

/** Writes the example of a language to a file; in Node, that of this name. */
function write(language: string, file: string, extra = ''): string {
  const name = language === 'js' ? `// ${file}\n` : '';
  const [, code] = new RegExp(`\`\`\`${language}\n(${name}[\\s\\S]*?)\`\`\``).exec(guide)!;
  const path = join(directory, file);
  writeFileSync(path, code + extra);
  return path;
}

/** The input of a program: one case a line, with fields that are hex, because the body has any bytes. */
const INPUT = CASES.map(([, , secret, headers, text]) => {
  const fields = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name]!);
  return [secret, ...fields, text].map((field) => Buffer.from(field).toString('hex')).join(' ');
}).join('\n');
const verdictsOf = (command: string, args: string[]): string[] =>
  execFileSync(command, args, { input: `${INPUT}\n`, env: { ...process.env, GO111MODULE: 'off', GOFLAGS: '' } })
    .toString()
    .trim()
    .split('\n');
const EXPECTED = CASES.map(([name, isValid]) => `${name} ${isValid}`);
const named = (verdicts: string[]): string[] =>
  verdicts.map((verdict, at) => `${CASES[at]![0]} ${verdict.toLowerCase()}`);

describeWith('python3', 'the verification of docs/webhooks.md in Python', (python) => {
  it('accepts what the server signs, and nothing else', () => {
    const main = `
import sys
for line in sys.stdin:
    secret, id, time_, signatures, body = [bytes.fromhex(field) for field in line.split()]
    headers = {"webhook-id": id.decode(), "webhook-timestamp": time_.decode(), "webhook-signature": signatures.decode()}
    print(verify(secret.decode(), headers, body))
`;
    expect(named(verdictsOf(python, [write('python', 'verify.py', main)]))).toEqual(EXPECTED);
  });
});

describeWith('go', 'the verification of docs/webhooks.md in Go', (go) => {
  it('accepts what the server signs, and nothing else', () => {
    const main = join(directory, 'main.go');
    writeFileSync(
      main,
      `package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		texts := make([]string, len(fields))
		for at, field := range fields {
			decoded, _ := hex.DecodeString(field)
			texts[at] = string(decoded)
		}
		headers := http.Header{}
		headers.Set("webhook-id", texts[1])
		headers.Set("webhook-timestamp", texts[2])
		headers.Set("webhook-signature", texts[3])
		fmt.Println(verify(texts[0], headers, []byte(texts[4])))
	}
}
`,
    );
    expect(named(verdictsOf(go, ['run', write('go', 'verify.go'), main]))).toEqual(EXPECTED);
  });
});

describe('the programs of docs/webhooks.md', () => {
  const app = useApp({
    env: { OUTGOING_ALLOWED_PRIVATE: `127.0.0.1:${port}` },
    oneHost: 'the programs read one server',
  });
  const { world } = app;
  const url = `http://127.0.0.1:${port}/`;
  const file = join(directory, 'builds');
  const running: ChildProcess[] = [];
  afterEach(async () => {
    rmSync(file, { force: true });
    for (const child of running.splice(0)) {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }
  });

  /** Starts an example, and waits until it listens. */
  async function start(name: string, secret: string, environment: object, ...args: string[]): Promise<void> {
    write('js', 'receive.mjs');
    const program = write('js', name);
    const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port), DELAY_MS: '0', ...environment };
    running.push(spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'inherit', 'ignore'] }));
    await until(() => fetch(url, { method: 'POST' }).catch(() => null));
  }
  const post = (headers: Record<string, string>, text: string) => fetch(url, { method: 'POST', headers, body: text });
  const builds = (): number => (existsSync(file) ? readFileSync(file, 'utf8').length : 0);

  it('accept what the server signs, and nothing else', async () => {
    const results: string[] = [];
    for (const secret of new Set(CASES.map(([, , one]) => one))) {
      await start('rebuild.mjs', secret, {}, 'true');
      for (const [name, , own, headers, text] of CASES)
        if (own === secret) results.push(`${name} ${(await post(headers, text)).status}`);
      const child = running.pop()!;
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }

    expect(results.sort()).toEqual(CASES.map(([name, isValid]) => `${name} ${isValid ? 204 : 401}`).sort());
  });

  it('build a site once for all changes while a build runs', async () => {
    const go = join(directory, 'go');
    await start(
      'rebuild.mjs',
      secrets.current,
      {},
      'sh',
      '-c',
      `printf x >> ${file}; until [ -e ${go} ]; do sleep 0.1; done`,
    );
    const send = (at: number, type: string) => {
      const id = new ObjectId().toHexString();
      const text = JSON.stringify({ id, type, data: { id: String(at) } });
      return post(signedHeaders(secrets, id, text, Date.now()), text);
    };

    expect((await send(0, 'post.published')).status).toBe(204);
    await until(() => builds() === 1 || null);
    for (const [at, type] of ['post.updated', 'post.hidden', 'post.deleted', 'post.updated'].entries())
      await send(at, type);
    await send(5, 'follow.created');
    writeFileSync(go, '');
    await until(() => builds() === 2 || null);
    rmSync(go);

    await send(6, 'follow.created');
    expect(builds()).toBe(2);
  });

  it('post to a chat the title and address of a new post, again after a failure, and nothing of a hidden one', async () => {
    const author = await world.person({ fullName: 'Ada Lovelace' });
    const { secret } = await world.webhook({ by: author, url, events: ['post.published', 'post.updated'] });
    await start('chat.mjs', secret, { SITE: app.url, CHAT_URL: `http://${chat.host}/hooks/looms` });
    const work = () => app.app.get(TaskWorker).work(AbortSignal.timeout(WAIT_MS));
    chat.on('/hooks/looms', (response) => response.writeHead(chat.received.length === 1 ? 503 : 200).end('ok'));

    const { slug } = await world.post({ by: author, title: 'Notes on looms' });
    const hidden = await world.post({ by: author, title: 'A secret' });
    await world.editPost(hidden.id, { by: author, isPublic: false });
    await work();
    await app.db.collection('tasks').updateMany({}, { $set: { runAt: new Date() } });
    await work();

    const text = `Ada Lovelace: Notes on looms\n${app.url}/p/${slug}`;
    expect(chat.at('/hooks/looms').map((each) => JSON.parse(each.body))).toEqual([{ text }, { text }]);
    const states = await app.db.collection('webhook_deliveries').distinct('state');
    expect(states).toEqual(['delivered']);
  });
});
