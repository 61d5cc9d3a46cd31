import type { PageName } from './contract.js';
import type { Page } from './page.js';
import { collectionPage } from './pages/collection.js';
import { hotPage, latestPage, tagPage, topPage } from './pages/feed.js';
import { postPage } from './pages/post.js';
import { profilePage } from './pages/profile.js';
import { searchPage } from './pages/search.js';
import { tagsPage } from './pages/tags.js';
import { writersPage } from './pages/writers.js';

/** The public pages. src/site/site.controller.ts has a route for each. */
export const PAGES: Record<PageName, Page<unknown>> = {
  hot: hotPage,
  latest: latestPage,
  top: topPage,
  tag: tagPage,
  post: postPage,
  profile: profilePage,
  collection: collectionPage,
  search: searchPage,
  tags: tagsPage,
  writers: writersPage,
};
