// The readers of archives of other platforms. They know no account and no database: an archive gives posts and problems, in its order.
// A reader ends with an error only if `Archive.read` does, and other errors than CodedError. Memory holds one file, and one post of it.
import type { ArchiveFormat } from '../archive.js';
import { devToFormat } from './dev-to.format.js';
import { feedFormat } from './feed.format.js';
import { ghostFormat } from './ghost.format.js';
import { markdownFormat } from './markdown.format.js';
import { mediumFormat } from './medium.format.js';
import { ownExportFormat } from './own-export.format.js';
import { pageFormat } from './page.format.js';
import { substackFormat } from './substack.format.js';
import { wordpressFormat } from './wordpress.format.js';

/** In the order of recognition. Other archives may contain Markdown, and exports may be XML like feeds. */
export const ARCHIVE_FORMATS: readonly ArchiveFormat[] = [
  ownExportFormat,
  substackFormat,
  mediumFormat,
  wordpressFormat,
  ghostFormat,
  devToFormat,
  markdownFormat,
  feedFormat,
  pageFormat,
];
