import { z } from 'zod';
import { EVENT_TYPES } from '../../domain/events.ts';

/** The type of an event: one name for it in the API's document, or the whole list would stand there each time. */
export const eventType = z.enum(EVENT_TYPES).meta({ id: 'EventType' });
