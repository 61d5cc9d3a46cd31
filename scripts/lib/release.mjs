// The parts of a release that only compute.

/** Whether `version` follows `current` without a gap, with zeros behind the raised number. */
export function isNext(current, version) {
  const [major, minor, patch] = current.split('.').map(Number);
  return [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`].includes(version);
}

/**
 * Gives the entries below `## Unreleased` to a version.
 * @param text CHANGELOG.md
 * @param date YYYY-MM-DD
 * @returns the new text, and the section of the version without its heading
 * @throws Error if there are no entries, no way to upgrade, or a breaking change in a version that does not announce it
 */
export function releaseChangelog(text, version, date) {
  const heading = '## Unreleased\n';
  const start = text.indexOf(heading);
  if (start === -1) throw new Error('CHANGELOG.md has no "## Unreleased".');
  const end = text.indexOf('\n## ', start + heading.length);
  const section = text.slice(start + heading.length, end === -1 ? undefined : end).trim();
  if (!/^- /m.test(section)) throw new Error('CHANGELOG.md has no entries under "## Unreleased".');
  if (!/^To upgrade\b/m.test(section))
    throw new Error('CHANGELOG.md does not say "To upgrade from …" for this release.');
  const [major, minor, patch] = version.split('.').map(Number);
  const announcesBreak = patch === 0 && (major === 0 || minor === 0);
  if (/\*\*Breaking\*\*/.test(section) && !announcesBreak)
    throw new Error(`CHANGELOG.md has a breaking change, which ${version} does not announce.`);
  const released = `${heading}\n## ${version} - ${date}\n\n${section}\n`;
  return { text: text.slice(0, start) + released + (end === -1 ? '' : text.slice(end)), section };
}

/** Sets the version of a package.json or package-lock.json, in the format of npm. */
export function withVersion(json, version) {
  const parsed = JSON.parse(json);
  parsed.version = version;
  if (parsed.packages) parsed.packages[''].version = version;
  return `${JSON.stringify(parsed, null, 2)}\n`;
}

/**
 * Removes the tools of development from the SBOM of the lock file. `npm sbom --omit=dev` would also remove packages that both need.
 * @param bom CycloneDX, as `npm sbom` writes it
 */
export function shippedOnly(bom) {
  const isShipped = ({ properties }) => !properties.some(({ name }) => name === 'cdx:npm:package:development');
  const components = bom.components.filter(isShipped);
  const refs = new Set([bom.metadata.component, ...components].map((component) => component['bom-ref']));
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  return { ...bom, components, dependencies };
}
