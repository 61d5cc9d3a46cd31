import type { ComponentType } from 'preact';
import type { Get, PageRequest, SiteFacts } from './contract.js';

export type Head = {
  /** without the name of the site; undefined for the home page */
  title?: string;
  description?: string;
  /** path or URL of the canonical page */
  canonical: string;
  isIndexed?: boolean;
  /** path of the Atom feed with the same posts */
  feed?: string;
  /** path of the next page of a list */
  next?: string;
  oembed?: string[];
  openGraph?: { name: string; content: string }[];
  twitter?: { name: string; content: string }[];
  /** for Google Scholar */
  citation?: { name: string; content: string }[];
  jsonLd?: object;
  hasMath?: boolean;
  /** styles of the document itself, allowed by their hash */
  style?: string;
  /** path of the module that the page runs; default: the one that adds the parts of the reader */
  script?: string;
};

/** A public page: what it reads of the API, and how it looks. It renders without scripts, equal for all readers. */
export type Page<Data> = {
  load: (get: Get, request: PageRequest, site: SiteFacts) => Promise<Data>;
  /** Returns the path of the loaded resource, if it differs from the requested one, for a redirect. */
  movedTo?: (data: Data, request: PageRequest) => string | undefined;
  /** cache tags of reads whose API response is not cached */
  tags?: (data: Data) => string[];
  head: (data: Data, request: PageRequest, site: SiteFacts) => Head;
  View: ComponentType<PageProps<Data>>;
};

export type PageProps<Data> = { data: Data; request: PageRequest; site: SiteFacts };

/** Checks a page against the type of its data, and hides this type from the table of pages. */
export function definePage<Data>(page: Page<Data>): Page<unknown> {
  return page as Page<unknown>;
}
