import type { DocumentKind } from '../search-index.js';

/** A change of this value builds indexes of other names, while servers of the earlier version use theirs. */
const FORMAT = `1-u${process.versions.unicode!.replaceAll('.', '')}`;

/** Names of the indexes of one site in a cluster. */
export class IndexNames {
  /** also the name of the lease */
  readonly site: string;

  /** @param hasComments other indexes, so that a change of the setting builds them */
  constructor(prefix: string, hasComments: boolean) {
    this.site = `${prefix}-${FORMAT}${hasComments ? '-c' : ''}`;
  }

  get state(): string {
    return `${this.site}-state`;
  }

  /** alias that queries use */
  alias(kind: DocumentKind): string {
    return `${this.site}-${kind}`;
  }

  index(kind: DocumentKind, generation: number): string {
    return `${this.alias(kind)}-${generation}`;
  }
}
