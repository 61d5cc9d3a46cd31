import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { killTree, type ProcessRegistry } from './process-registry.js';
import { readTreeUsage } from './process-tree.js';

export type CliRun = {
  seconds: number;
  cpuMicros: number;
  mongodCpuMicros: number;
  peakRssBytes: number;
  output: string;
};

export type CliOptions = {
  args: string[];
  env: Record<string, string>;
  /** in dist; default: the CLI */
  script?: string;
  mongodPid: number | null;
  cwd?: string;
  /** Shows standard error immediately. */
  isLoud?: boolean;
};

const SAMPLE_INTERVAL_MS = 20;

/** Runs a command of the built CLI to its end. Measures CPU and peak memory of its process by sampling /proc. */
export async function runCliProcess(options: CliOptions, registry: ProcessRegistry): Promise<CliRun> {
  const script = fileURLToPath(new URL(`../../${options.script ?? 'bundle/cli.js'}`, import.meta.url));
  const startedAt = performance.now();
  const mongodBefore = mongodCpu(options.mongodPid);
  const child = spawn(process.execPath, [script, ...options.args], {
    env: options.env,
    stdio: ['ignore', 'pipe', options.isLoud ? 'inherit' : 'pipe'],
    detached: true,
    ...(options.cwd ? { cwd: options.cwd } : {}),
  });
  const pid = child.pid;
  const entry = {
    name: options.args.join(' '),
    pid: pid ?? null,
    stop: async () => (pid === undefined ? undefined : killTree(pid)),
  };
  registry.add(entry);
  let output = '';
  const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const peak = { cpuMicros: 0, residentBytes: 0 };
  const sampler = setInterval(() => {
    if (pid === undefined) return;
    const usage = readTreeUsage(pid);
    peak.cpuMicros = Math.max(peak.cpuMicros, usage.cpuMicros);
    peak.residentBytes = Math.max(peak.residentBytes, usage.residentBytes);
  }, SAMPLE_INTERVAL_MS);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0)
      throw new Error(`\`${options.args.join(' ')}\` ended with ${code ?? 'a signal'}: ${output.trim().slice(-1_000)}`);
  } finally {
    clearInterval(sampler);
    registry.remove(entry);
  }
  return {
    seconds: (performance.now() - startedAt) / 1000,
    cpuMicros: peak.cpuMicros,
    mongodCpuMicros: mongodCpu(options.mongodPid) - mongodBefore,
    peakRssBytes: peak.residentBytes,
    output,
  };
}

function mongodCpu(pid: number | null): number {
  return pid === null ? 0 : readTreeUsage(pid).cpuMicros;
}
