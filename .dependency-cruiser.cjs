/** The import rules of ARCHITECTURE.md, types included: an import of a type ties two rooms as much as one of a value. */

/** feature -> the features it may use */
const mayUse = {
  actions: ['activity', 'auth', 'collections', 'moderation', 'posts', 'registration', 'reports', 'rules', 'users'],
  admin: ['auth', 'moderation', 'registration', 'users', 'views'],
  auth: ['moderation', 'registration', 'rules', 'users'],
  registration: ['moderation', 'users'],
  instance: ['auth', 'comments', 'media', 'moderation', 'posts', 'users'],
  moderation: [],
  rules: ['activity', 'moderation'],
  users: ['moderation', 'rules'],
  activity: [],
  blocks: ['users'],
  follows: ['activity', 'blocks', 'users'],
  media: ['moderation', 'users'],
  rendering: ['media', 'users'],
  posts: ['activity', 'blocks', 'moderation', 'users', 'rules', 'media', 'rendering'],
  tags: ['moderation', 'posts', 'users'],
  views: ['activity', 'posts', 'users'],
  revisions: ['posts', 'rendering'],
  ranking: ['posts'],
  comments: ['activity', 'blocks', 'moderation', 'posts', 'rules', 'users', 'rendering'],
  collections: ['activity', 'blocks', 'moderation', 'posts', 'rules', 'users', 'media', 'rendering'],
  drafts: ['activity', 'posts', 'revisions', 'rendering', 'users', 'media'],
  interactions: ['activity', 'blocks', 'posts', 'comments', 'collections', 'follows', 'users'],
  reports: ['activity', 'collections', 'comments', 'media', 'moderation', 'posts', 'rendering', 'rules', 'users'],
  feed: ['blocks', 'posts', 'ranking', 'follows', 'tags', 'users'],
  'for-you': ['blocks', 'feed', 'follows', 'interactions', 'posts', 'search', 'tags', 'users'],
  // asks the routes
  site: [],
  syndication: ['feed', 'posts', 'rendering', 'users', 'collections'],
  search: ['blocks', 'comments', 'posts', 'rendering', 'users'],
  opencanvas: [
    ...['auth', 'users', 'follows', 'media', 'rendering', 'posts', 'views'],
    ...['comments', 'collections', 'interactions', 'feed', 'search'],
  ],
  notifications: [
    ...['activity', 'auth', 'blocks', 'posts', 'comments', 'interactions', 'follows', 'feed', 'collections', 'drafts'],
    ...['moderation', 'reports', 'users'],
  ],
  viewer: ['auth', 'follows', 'interactions', 'notifications', 'tags', 'users'],
  webhooks: [
    ...['activity', 'auth', 'collections', 'comments', 'exports', 'imports', 'moderation', 'posts'],
    ...['registration', 'reports', 'rules', 'users'],
  ],
  exports: ['auth', 'users'],
  imports: ['drafts', 'media', 'moderation', 'posts', 'syndication', 'users'],
};
const features = Object.keys(mayUse);

/** layer -> what it may import beside itself */
const layers = {
  common: [],
  config: ['common'],
  platform: ['common', 'config'],
  // features register what they count: the engine knows none of them
  audit: ['common', 'config', 'platform'],
};

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-cycles-of-folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
    ...Object.entries(layers).map(([layer, below]) => ({
      name: `${layer}-imports-only-below`,
      severity: 'error',
      from: { path: `^src/${layer}/` },
      to: { path: `^src/(?!(${[layer, ...below].join('|')})/)` },
    })),
    {
      name: 'common-is-pure',
      severity: 'error',
      comment: 'no I/O, no framework',
      from: { path: '^src/common/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^(fs|fs/promises|http|https|tls|dgram|child_process|cluster|node_modules/(mongoose|fastify|@nestjs).*)$',
      },
    },
    {
      name: 'nothing-imports-integrations',
      severity: 'error',
      comment: 'the application works without them: only its composition names them',
      from: { pathNot: '^src/(integrations/|app\\.module\\.ts$)|^test' },
      to: { path: '^src/integrations/' },
    },
    {
      name: 'nothing-imports-the-cli',
      severity: 'error',
      from: { pathNot: '^src/cli|^(seeds|benchmarks|test)/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'nothing-imports-the-import',
      severity: 'error',
      from: { pathNot: '^src/(cli|import)/|^src/app.module.ts$|^test' },
      to: { path: '^src/import/' },
    },
    {
      name: 'nothing-imports-the-migrations',
      severity: 'error',
      comment: 'the server knows only the number of the last one (platform/mongo/format)',
      from: { pathNot: '^src/(cli|migrations)/|^test|\\.spec\\.ts$' },
      to: { path: '^src/migrations/' },
    },
    {
      name: 'production-uses-dependencies',
      severity: 'error',
      comment: 'what runs in production is in `dependencies`, where npm audit and the SBOM see it; types are not',
      from: { path: '^(src|seeds)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'src-imports-no-tools',
      severity: 'error',
      comment: 'the seeds and the benchmark are programs of their own',
      from: { path: '^src/' },
      to: { path: '^(seeds|benchmarks)/' },
    },
    {
      name: 'seeds-import-pure-tools',
      severity: 'error',
      comment: 'the generator may use common and pure functions of features, never a service',
      from: { path: '^seeds' },
      to: { path: '^src/.*\\.(service|controller|module)\\.ts$' },
    },
    {
      name: 'auth-imports-no-sub-room',
      severity: 'error',
      from: { path: '^src/auth/[^/]+$' },
      to: { path: '^src/auth/(recovery|providers|second-factors|passkeys|api-tokens)/' },
    },
    {
      name: 'sub-rooms-of-auth-are-apart',
      severity: 'error',
      from: { path: '^src/auth/(recovery|providers|second-factors|passkeys|api-tokens)/' },
      to: { path: '^src/auth/(recovery|providers|second-factors|passkeys|api-tokens)/', pathNot: '^src/auth/$1/' },
    },
    ...features.map((feature) => ({
      name: `${feature}-may-use`,
      severity: 'error',
      from: { path: `^src/${feature}/` },
      to: {
        path: `^src/(${features.filter((other) => other !== feature && !mayUse[feature].includes(other)).join('|')})/`,
      },
    })),
    ...features.map((feature) => ({
      name: `${feature}-privates`,
      severity: 'error',
      comment:
        'schemas, dtos and controllers belong to their own room: ask the service; an import writes the rows of all',
      from: { path: '^src/', pathNot: `^src/(${feature}|cli|import)/` },
      to: { path: `^src/${feature}/(.*(\\.schema|\\.controller)\\.ts$|.*dto/)` },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
