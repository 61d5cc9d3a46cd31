import { type Report, totalCpu } from '../harness/results.js';
import { number } from './format.js';

const MOST = { p99Ms: 50, cpuShare: 0.7, memoryShare: 0.8 };
const MIB_PER_GIB = 1_024;

export const OPERATION_HEAD = [
  'at a given rate',
  'requests/s',
  'p99',
  'CPU of the machine',
  'memory of node',
  'verdict',
] as const;

const PHASES: [string, string][] = [
  ['steady', '10 a second'],
  ['ramp', '10 to 100 a second'],
  ['burst', '500 a second'],
];

/** Judges the product at the rates of the simulation: p99 below 50 ms, CPU below 70 %, memory below 80 %. */
export function operationRows(report: Report): string[][] {
  const { cores, memoryGiB } = report.environment;
  return PHASES.flatMap(([phase, label]) => {
    const result = report.results.find((each) => each.suite === 'simulation' && each.subject === `product@${phase}`);
    const micros = result === undefined ? null : totalCpu(result);
    if (result === undefined || micros === null || result.rssMiB === null) return [];
    const p99 = result.latencyMs.p99;
    const cpu = (micros * result.requestsPerSecond) / (cores * 1e6);
    const memory = result.rssMiB / (memoryGiB * MIB_PER_GIB);
    const missed = [
      ...(p99 < MOST.p99Ms ? [] : [`p99 < ${MOST.p99Ms} ms`]),
      ...(cpu < MOST.cpuShare ? [] : [`CPU < ${MOST.cpuShare * 100} %`]),
      ...(memory < MOST.memoryShare ? [] : [`memory < ${MOST.memoryShare * 100} %`]),
    ];
    const verdict = missed.length === 0 ? 'met' : `**missed**: ${missed.join(', ')}`;
    const percent = (share: number): string => `${number(share * 100)} %`;
    return [[label, number(result.requestsPerSecond), `${number(p99)} ms`, percent(cpu), percent(memory), verdict]];
  });
}
