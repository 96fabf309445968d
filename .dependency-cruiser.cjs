/** The floors of the house: what may import what (design: data flows http -> usecases -> store, chains stay behind their port). */
const only = (from, to) => ({
  name: `${from}-floor`,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: '^src/', pathNot: to.map((folder) => `^src/${folder}/`) },
});

/** Folders of one floor, the lowest first: each imports only those before it. */
const ordered = (root, folders) =>
  folders.slice(0, -1).map((folder, index) => ({
    name: `${root}-${folder}-below`,
    severity: 'error',
    from: { path: `^src/${root}/${folder}/` },
    to: { path: folders.slice(index + 1).map((higher) => `^src/${root}/${higher}/`) },
  }));

/** A folder that is in no list would have no place in the order. */
const listed = (root, folders) => ({
  name: `${root}-lists-its-folders`,
  severity: 'error',
  from: {},
  to: { path: `^src/${root}/[^/]+/`, pathNot: folders.map((folder) => `^src/${root}/${folder}/`) },
});

const FOLDERS = {
  usecases: [
    'events',
    'access',
    'rates',
    'accounting',
    'mail',
    'accounts',
    'addresses',
    'webhooks',
    'shops',
    'catalog',
    'customers',
    'payments',
    'wallet',
    'chain-sync',
    'links',
    'refunds',
    'checkout',
    'notices',
  ],
  http: [
    'schemas',
    'server',
    'openapi',
    'docs',
    'brand',
    'pages',
    'checkout',
    'routes',
    'links',
    'notices-page',
    'refund-page',
  ],
  store: [
    'schema',
    'sqlite',
    'accounts',
    'catalog',
    'chain',
    'sends',
    'ledger',
    'merchants',
    'notices',
    'operations',
    'payments',
    'rates',
    'watch',
    'webhooks',
  ],
  'web/dashboard': ['i18n', 'contract', 'format', 'api', 'ui', 'pages'],
};

module.exports = {
  forbidden: [
    ...Object.entries(FOLDERS).flatMap(([root, folders]) => [
      ...ordered(root, folders),
      listed(root, folders),
    ]),
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^(src|scripts|packages)/' },
      to: { circular: true },
    },
    only('domain', ['domain']),
    only('i18n', ['i18n']),
    only('store', ['store', 'domain', 'i18n']),
    only('usecases', ['usecases', 'domain', 'store', 'i18n']),
    only('scheduler', ['scheduler', 'domain']),
    only('chains', ['chains', 'domain', 'scheduler']),
    only('rates', ['rates', 'domain', 'scheduler']),
    only('wallet', ['wallet', 'domain']),
    only('config', ['config', 'domain']),
    only('workers', ['workers', 'egress', 'usecases', 'domain', 'store', 'scheduler']),
    only('replica', ['replica', 'store', 'domain', 'scheduler']),
    only('backup', ['backup', 'replica', 'usecases', 'wallet', 'store', 'domain']),
    only('egress', ['egress']),
    only('mail', ['mail', 'domain']),
    only('metrics', ['metrics', 'store', 'domain']),
    only('web', ['web', 'i18n']),
    only('http', ['http', 'usecases', 'domain', 'store', 'i18n', 'scheduler']),
    {
      name: 'usecases-by-their-face',
      comment: 'What a folder of use cases offers is in its index.ts; the rest is private to it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/usecases/' },
      to: { path: '^src/usecases/[^/]+/', pathNot: '^src/usecases/[^/]+/index[.]ts$' },
    },
    {
      name: 'usecases-by-their-face-among-themselves',
      severity: 'error',
      from: { path: '^src/usecases/([^/]+)/' },
      to: { path: '^src/usecases/[^/]+/', pathNot: ['^src/usecases/$1/', '^src/usecases/[^/]+/index[.]ts$'] },
    },
    {
      name: 'workers-apart',
      severity: 'error',
      from: { path: '^src/workers/([^/]+)/' },
      to: { path: '^src/workers/[^/]+/', pathNot: '^src/workers/$1/' },
    },
    {
      name: 'chain-families-apart',
      severity: 'error',
      from: { path: '^src/chains/([^/]+)/' },
      to: { path: '^src/chains/[^/]+/', pathNot: '^src/chains/($1|shared)/' },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { dependencyTypes: ['npm', 'core'] },
    },
    {
      name: 'sqlite-in-few-files',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/store/sqlite/',
      },
      to: { path: 'better-sqlite3' },
    },
    {
      name: 'web-apart',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/web/' },
      to: { path: '^src/web/' },
    },
    {
      name: 'checkout-is-plain',
      comment: 'What every payer loads stays small: no library in it.',
      severity: 'error',
      from: { path: '^src/web/(checkout|embed)/' },
      to: { pathNot: ['^src/web/$1/', '^src/i18n/languages.ts$'] },
    },
    {
      name: 'sdk-alone',
      comment: 'The SDK is published: it uses nothing but what every runtime has.',
      severity: 'error',
      from: { path: '^packages/sdk/src/' },
      to: { pathNot: '^packages/sdk/src/' },
    },
    {
      name: 'sdk-for-pages-only',
      comment: 'The daemon knows no client of its API; only the dashboard is one.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/web/' },
      to: { path: '^packages/' },
    },
    {
      name: 'bench-from-outside',
      comment: 'The program knows nothing of its measurements.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(scripts|test)/' },
    },
    {
      name: 'only-app-composes',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(main[.]ts$|app/|cli/)' },
      to: { path: '^src/app/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.css'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types'],
    },
  },
};
