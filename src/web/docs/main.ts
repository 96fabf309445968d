import { addCopyButtons } from './copy.ts';
import { makeTabs } from './tabs.ts';
import { addSearch } from './search.ts';
import { addTryIt } from './try-it.ts';

/** Enhances the reference page, which is complete without it. */
makeTabs();
addCopyButtons();
addSearch();
addTryIt();
