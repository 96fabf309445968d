import './style.css';
import { loadTexts } from './i18n/t.ts';

const root = document.getElementById('root');
if (root !== null) {
  // First the language: texts are said already while the modules of the pages load.
  void loadTexts()
    .then(async () => import('./app.tsx'))
    .then(async ({ showPages }) => showPages(root));
}
