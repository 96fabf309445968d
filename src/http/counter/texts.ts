import ar from '../../../locales/counter/ar.json' with { type: 'json' };
import de from '../../../locales/counter/de.json' with { type: 'json' };
import en from '../../../locales/counter/en.json' with { type: 'json' };
import es from '../../../locales/counter/es.json' with { type: 'json' };
import fr from '../../../locales/counter/fr.json' with { type: 'json' };
import it from '../../../locales/counter/it.json' with { type: 'json' };
import nl from '../../../locales/counter/nl.json' with { type: 'json' };
import pl from '../../../locales/counter/pl.json' with { type: 'json' };
import pt from '../../../locales/counter/pt.json' with { type: 'json' };
import type { Language } from '../../i18n/languages.ts';

/** The texts of the counter's page, for its script. */
export const COUNTER_TEXTS: Readonly<Record<Language, typeof en>> = { en, de, es, fr, it, nl, pl, pt, ar };
