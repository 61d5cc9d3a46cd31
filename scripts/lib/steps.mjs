import { spawn } from 'node:child_process';
import { ROOT } from './prepare.mjs';

const TALLY = /^(\d+) passed, (\d+) failed$/;
/** Format of scripts/test.mjs. */
const FAILED_TEST = /^FAILED TEST /;

/** Runs shell commands, some of them in parallel, and records their results. */
export class Steps {
  done = [];
  #running = new Set();
  #isStopped = false;

  constructor(env) {
    this.env = env;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.once(signal, () => {
        this.#isStopped = true;
        for (const child of this.#running) child.kill(signal);
      });
    }
  }

  /** Runs groups in order and the steps of a group in parallel. Continues after a failure. @returns whether all steps succeeded */
  async runAll(groups) {
    for (const group of groups) await Promise.all((group || []).filter(Boolean).map((step) => this.#run(step)));
    return this.failed.length === 0;
  }

  get failed() {
    return this.done.filter(({ code, isWarning }) => code !== 0 && !isWarning);
  }

  get seconds() {
    return Math.round(process.uptime());
  }

  get tally() {
    const sum = (key) => this.done.reduce((total, step) => total + step[key], 0);
    return { passed: sum('passed'), failed: sum('failed') };
  }

  /** Prints a summary whose last line is the number of tests. */
  summarize() {
    console.log(`\n== ${this.seconds} s`);
    for (const { name, verdict, seconds } of this.done)
      console.log(`${String(seconds).padStart(6)} s  ${verdict.padEnd(7)}  ${name}`);
    for (const { name, command, failedTests } of this.failed) {
      console.log(`FAILED: ${name}. Again with: ${command}`);
      for (const line of failedTests) console.log(`  ${line}`);
    }
    const { passed, failed } = this.tally;
    console.log(`${passed} passed, ${failed} failed`);
  }

  async #run(step) {
    const { name, without } = step;
    if (this.#isStopped) return;
    if (without !== undefined) {
      console.log(`[${name}] NOT RUN: it needs ${without}.`);
      this.done.push({ ...step, code: 0, verdict: 'not run', seconds: 0, passed: 0, failed: 0, failedTests: [] });
      return;
    }
    console.log(`\n[${name}] ${step.command}`);
    const startedAt = performance.now();
    const counted = { passed: 0, failed: 0, failedTests: [] };
    const code = await this.#output(step, (line) => {
      const [, passed, failed] = TALLY.exec(line) ?? [];
      counted.passed += Number(passed ?? 0);
      counted.failed += Number(failed ?? 0);
      if (FAILED_TEST.test(line)) counted.failedTests.push(line);
      console.log(`[${name}] ${line}`);
    });
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const verdict = code === 0 ? 'ok' : step.isWarning ? 'WARNING' : 'FAILED';
    console.log(`[${name}] ${verdict}, ${seconds} s`);
    this.done.push({ ...step, code, verdict, seconds, ...counted });
  }

  /** @returns the exit code, which is 124 if the command exceeded its minutes */
  #output({ command, minutes, path }, onLine) {
    const args = ['--kill-after=60s', `${minutes}m`, 'bash', '-c', command];
    const env = path === undefined ? this.env : { ...this.env, PATH: `${path}:${this.env.PATH}` };
    const child = spawn('timeout', args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#running.add(child);
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream.setEncoding('utf8').on('data', (chunk) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop();
        lines.forEach(onLine);
      });
      stream.on('end', () => rest !== '' && onLine(rest));
    }
    return new Promise((resolve) => {
      child.once('error', ({ message }) => {
        onLine(message);
        resolve(127);
      });
      child.once('close', (code) => {
        this.#running.delete(child);
        resolve(code ?? 143);
      });
    });
  }
}
