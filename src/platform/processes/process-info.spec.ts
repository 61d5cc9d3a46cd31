import { cpuMsOf, readCpuMs } from './process-info.js';

describe('the CPU time of a process', () => {
  it('grows while it computes, and is null for a missing process', async () => {
    const before = (await readCpuMs(process.pid))!;
    while ((process.cpuUsage().user + process.cpuUsage().system) / 1_000 < before + 50);

    expect(await readCpuMs(process.pid)).toBeGreaterThan(before);
    expect(await readCpuMs(2 ** 30)).toBeNull();
  });

  it.each([
    ['  0:01.50\n', 1_500],
    ['00:02:03', 123_000],
    ['1-02:00:00', 93_600_000],
    ['', null],
    ['nonsense', null],
  ])('is read from ps: %j', (time, ms) => {
    expect(cpuMsOf(time)).toBe(ms);
  });
});
