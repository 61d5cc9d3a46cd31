import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

interface GateSpecs {
  FAULTS: string[];
  FAULTS_OF_FOLDERS: Record<string, string[]>;
  FRONT: string[];
  dueFor: (paths: string[]) => {
    furtherFaults: string[];
    leftToFullRun: string[];
    needsFullRun: string[];
    image: boolean;
  };
}

describe('.ci/run', () => {
  let gate: GateSpecs;

  beforeAll(async () => {
    gate = (await import(join(ROOT, 'scripts/lib/gate-specs.mjs'))) as GateSpecs;
  });

  it('names specs and folders that exist', () => {
    const faults = [...gate.FAULTS, ...Object.values(gate.FAULTS_OF_FOLDERS).flat()];
    const places = [
      ...faults.map((name) => `test/faults/${name}.spec.ts`),
      ...gate.FRONT.map((name) => `test/e2e/${name}.spec.ts`),
      ...Object.keys(gate.FAULTS_OF_FOLDERS),
    ];
    expect(places.filter((place) => !existsSync(join(ROOT, place)))).toEqual([]);
  });

  it('runs the fault specs of a folder that changed', () => {
    const due = gate.dueFor(['src/search/search-index.ts', 'README.md']);
    expect(due).toEqual({ furtherFaults: ['index-writer'], leftToFullRun: [], needsFullRun: [], image: false });
  });

  it('runs a fault spec that changed', () => {
    expect(gate.dueFor(['test/faults/network.spec.ts']).furtherFaults).toEqual(['network']);
  });

  it('leaves fault specs to the full run when the folders of many changed', () => {
    const due = gate.dueFor(Object.keys(gate.FAULTS_OF_FOLDERS).map((folder) => `${folder}/any.ts`));
    expect(due.furtherFaults).toEqual([]);
    expect(due.leftToFullRun.length).toBeGreaterThan(6);
  });

  it('requires a full run when the platform of writes and caches changed', () => {
    expect(gate.dueFor(['src/platform/mongo/commit.ts']).needsFullRun).toEqual(['src/platform/mongo']);
  });

  it('builds the image when the lock file changed', () => {
    expect(gate.dueFor(['package-lock.json']).image).toBe(true);
  });
});
