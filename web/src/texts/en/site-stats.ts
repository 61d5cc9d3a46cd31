/** Texts of `/stats/site`. */
export const siteStats = {
  title: 'Stats of the site',
  figures: {
    newAccounts: 'New accounts',
    activeAccounts: 'Active accounts',
    posts: 'Posts',
    comments: 'Comments',
    likes: 'Likes',
    reports: 'Reports',
    firstActionSeconds: 'Time to a decision',
    mails: 'Mails',
    storageBytes: 'Storage',
  },
  plot: (names: string[]) => `Chart: ${names.join(', ')}. The table has the numbers.`,
  hourly: 'Counted every hour. Active accounts of a week or month are those of its busiest day.',
};
