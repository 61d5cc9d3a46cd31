/** The import rules of ARCHITECTURE.md. `A <- B` there means B may import A; everything else is refused here. */
const features = ['auth', 'users', 'follows', 'posts', 'comments', 'interactions', 'feed', 'engagement'];

/** feature -> the features whose modules and services it may use */
const mayUse = {
  auth: ['users'],
  users: [],
  follows: ['users'],
  posts: ['users'],
  comments: ['posts', 'users'],
  interactions: ['posts', 'comments', 'users'],
  engagement: ['posts'],
  feed: ['posts', 'follows', 'users'],
};

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'common-imports-nothing',
      severity: 'error',
      from: { path: '^src/common' },
      to: { path: '^src/(?!common)' },
    },
    {
      name: 'config-imports-common',
      severity: 'error',
      from: { path: '^src/config' },
      to: { path: '^src/(?!common|config)' },
    },
    {
      name: 'platform-knows-no-feature',
      severity: 'error',
      from: { path: '^src/platform' },
      to: { path: '^src/(?!common|config|platform)' },
    },
    {
      name: 'audit-knows-no-feature',
      severity: 'error',
      comment: 'features register what they count',
      from: { path: '^src/audit' },
      to: { path: '^src/(?!common|config|platform|audit)' },
    },
    {
      name: 'nobody-imports-the-cli',
      severity: 'error',
      from: { pathNot: '^src/cli|^test' },
      to: { path: '^src/cli' },
    },
    {
      name: 'seeds-import-pure-tools',
      severity: 'error',
      comment: 'the generator may use common and pure functions of features, never a service',
      from: { path: '^seeds' },
      to: { path: '^src/.*\\.(service|controller|module)\\.ts$' },
    },
    ...features.map((feature) => ({
      name: `${feature}-may-use`,
      severity: 'error',
      from: { path: `^src/${feature}/` },
      to: {
        path: `^src/(${features.filter((f) => f !== feature && !mayUse[feature].includes(f)).join('|')})/`,
      },
    })),
    ...features.map((feature) => ({
      name: `${feature}-privates`,
      severity: 'error',
      comment: 'schemas, dtos and controllers belong to their own room: ask the service',
      from: { path: '^src/', pathNot: `^src/(${feature}/|cli)` },
      to: { path: `^src/${feature}/.*(schema|controller)\\.ts$` },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: false,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
