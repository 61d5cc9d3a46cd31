import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `commit`: the built commit, if the build recorded it. */
export type BuildInfo = { version: string; commit?: string };

/** Reads the first package.json above this file: that of dist/bundle, or that of the sources. */
export function buildInfo(): BuildInfo {
  let directory = import.meta.dirname;
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory);
  const { version, commit } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as BuildInfo;
  return commit === undefined ? { version } : { version, commit };
}

export function packageVersion(): string {
  return buildInfo().version;
}

/** Returns `0.1.0+3f9c2d1a7b52`, which differs between two builds of one version. */
export function fullVersion(): string {
  const { version, commit } = buildInfo();
  return commit === undefined ? version : `${version}+${commit}`;
}
