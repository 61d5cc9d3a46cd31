import type { components } from '../../../../sdk/src/schema.js';

/** Texts of `/settings/imports`. */
export const imports = {
  hint: 'A ZIP or a file that you exported from another platform. Its posts become drafts, with their dates, tags and images. One at a time, three a day.',
  notTaken: 'Comments, followers, members and paid tiers are not imported.',
  empty: 'You have no imports.',
  choose: 'Choose an archive',
  address: 'Address of an article or a feed',
  addressHint: 'Your own text on another site, or the RSS or Atom feed of your site. Only what it shows is imported.',
  read: 'Import the address',
  uploading: 'Uploading …',
  archive: 'Archive',
  formats: {
    ...{ 'own-export': 'Export of an account', markdown: 'Markdown', 'dev.to': 'dev.to', ghost: 'Ghost' },
    ...{ medium: 'Medium', substack: 'Substack', wordpress: 'WordPress', feed: 'Feed', page: 'Page' },
  } as Record<string, string>,
  states: {
    storing: 'Being stored …',
    waiting: 'Waiting …',
    reading: 'Being read …',
    ready: 'Ready',
    publishing: 'Being published …',
    published: 'Published',
    failed: 'Failed',
    deleted: 'Deleted',
  },
  failures: {
    unknown_format: 'It has no format that this site knows.',
    invalid_archive: 'The archive is damaged, or too large when it is unpacked.',
  } as Record<string, string>,
  counts: ({ read, drafts, repeated, images, published }: components['schemas']['ImportCounts']) =>
    `Read: ${read} · drafts: ${drafts} · imported before: ${repeated} · images: ${images} · published: ${published}`,
  problems: (count: number, shown: number) =>
    count > shown ? `Problems: ${count}, first ${shown}` : `Problems: ${count}`,
  drafts: 'Drafts',
  publish: 'Publish all',
  confirmPublish:
    'Publish all drafts of this import that were public before, with their dates? Your followers are not notified.',
  confirmRemove: 'Remove this import and its drafts? Published posts stay.',
};
