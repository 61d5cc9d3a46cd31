declare module '@citation-js/core' {
  type CslName = Record<'family' | 'given' | 'suffix' | 'non-dropping-particle' | 'literal', string | undefined>;
  type CslItem = Record<'title' | 'type' | 'URL' | 'container-title' | 'publisher', string> & {
    author: CslName[];
    issued: { 'date-parts': number[][] };
  };
  /** Parses BibTeX, RIS and CSL-JSON, with their plugins. */
  export class Cite {
    constructor(text: string, options: { forceType: string });
    readonly data: CslItem[];
    format(format: 'bibliography', options: { template: 'apa'; format: 'text' }): string;
  }
}
declare module '@citation-js/plugin-bibtex';
declare module '@citation-js/plugin-csl';
declare module '@citation-js/plugin-ris';
