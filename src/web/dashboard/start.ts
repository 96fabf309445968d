import { loadTexts } from './i18n/t.ts';

const root = document.getElementById('root');
if (root !== null) {
  // The language is loaded first, because modules of the pages use texts while they load.
  void loadTexts()
    .then(async () => import('./app.tsx'))
    .then(async ({ showPages }) => showPages(root));
}
