/** Questions of a reader, each with the suites that cover it. The first page of the report has a table for each. */
export const QUESTIONS: readonly { title: string; figure: 'cpu' | 'p99'; suites: readonly string[] }[] = [
  {
    figure: 'cpu',
    title: 'Does a request cost more with more data, readers, processes or hosts?',
    suites: [
      ...['feed-depth', 'feed-following', 'growth', 'feed-random-limit', 'feed-stress'],
      ...['cluster', 'vote-hosts'],
    ],
  },
  {
    figure: 'p99',
    title: 'Do readers notice other work?',
    suites: ['overload', 'login-storm', 'search-storm', 'uploads', 'imports', 'publish'],
  },
  {
    figure: 'cpu',
    title: 'What does the API of OpenCanvas cost?',
    suites: ['articles-hot', 'articles-stress', 'articles-simulation', 'vote-toggled'],
  },
  { figure: 'cpu', title: 'What does the same content cost in PocketBase?', suites: ['pocketbase'] },
  {
    figure: 'cpu',
    title: 'What do searches, texts, sign-ins and jobs cost?',
    suites: [
      ...['search-rare', 'search-common', 'search-two-common', 'search-typo', 'not-modified', 'top-writers'],
      ...['html-hot', 'autosave', 'login', 'score-job'],
    ],
  },
];
