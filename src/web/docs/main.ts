import { addCopyButtons } from './copy.ts';
import { makeTabs } from './tabs.ts';
import { addSearch } from './search.ts';
import { addTryIt } from './try-it.ts';

/** Comfort for the reference page, which says everything without it. */
makeTabs();
addCopyButtons();
addSearch();
addTryIt();
