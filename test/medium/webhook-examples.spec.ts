import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSecrets, signedHeaders } from '../../src/webhooks/webhook-secrets.js';
import { describeWith } from '../support/optional.js';
import { freePorts } from '../support/server-process.js';
import { until } from '../support/until.js';

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

/** Writes the example of a language to a file. */
function write(language: string, file: string, extra = ''): string {
  const [, code] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(guide)!;
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

describe('the program of docs/webhooks.md that rebuilds a site', () => {
  it('runs its command for what the server signs, and nothing else', async () => {
    const program = write('js', 'rebuild.mjs');
    const [port] = await freePorts(1);
    const built = join(directory, 'built');
    const results: string[] = [];
    for (const [name, isValid, secret, headers, text] of CASES) {
      rmSync(built, { force: true });
      const environment = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) };
      const child = spawn(process.execPath, [program, 'touch', built], { env: environment });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      const post = () => fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: text }).catch(() => null);
      const response = await until(post);
      if (isValid) await until(() => existsSync(built) || null);
      results.push(`${name} ${response.status} ${existsSync(built)}`);
      child.kill();
      await ended;
    }

    expect(results).toEqual(CASES.map(([name, isValid]) => `${name} ${isValid ? '204 true' : '401 false'}`));
  });
});
