// What the server (src/site) and the renderer exchange. Both programs import this file, so it has types only.

/** Reads a resource of the API as a visitor. Rejects with the problem of the API. */
export type Get = <Body>(path: string) => Promise<Body>;

export type PageRequest = {
  /** of the path, decoded */
  params: Record<string, string>;
  /** known parameters with a value */
  query: Record<string, string>;
};

export type SiteFacts = {
  name: string;
  /** origin */
  url: string;
  /** false: only the pages of mails exist, so the header links to none */
  hasPages: boolean;
  /** whether the search finds comments */
  hasCommentSearch: boolean;
  /** main language, BCP 47 */
  language: string;
  /** path of a style sheet of the operator */
  stylesheet: string | undefined;
};

/** A whole document, or the path of a resource that has another one. */
export type RenderedPage =
  | {
      html: string;
      /** sources that the document needs beside those of the policy of all pages, such as hashes of styles */
      styleSources: string[];
      /** cache tags of reads from routes without a cache */
      tags: string[];
    }
  | { movedTo: string };

export type PageProblem = { status: number; title: string; detail: string; requestId?: string };

export type PageName =
  | 'hot'
  | 'latest'
  | 'top'
  | 'post'
  | 'profile'
  | 'tag'
  | 'collection'
  | 'search'
  | 'tags'
  | 'writers';

/** The exports of the server build. */
export type Renderer = {
  renderPage: (name: PageName, request: PageRequest, get: Get, site: SiteFacts) => Promise<RenderedPage>;
  /** the frame of a page that runs in the browser */
  renderFrame: (path: string, site: SiteFacts) => string;
  renderProblem: (problem: PageProblem, site: SiteFacts) => string;
};
