import { drafts } from './drafts.js';
import { editor } from './editor.js';
import { forYouPage } from './for-you.js';
import { moderation } from './moderation.js';
import { operations } from './operations.js';
import { settings } from './settings.js';
import { siteStats } from './site-stats.js';
import { stats } from './stats.js';
import { welcome } from './welcome.js';
import type { frames as en } from '../en/frames.js';

export const frames: typeof en = {
  drafts,
  editor,
  forYouPage,
  moderation,
  operations,
  settings,
  siteStats,
  stats,
  welcome,
};
