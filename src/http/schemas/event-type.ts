import { z } from 'zod';
import { EVENT_TYPES } from '../../domain/events.ts';

/** The type of an event: a named component of the API's document, so that the list is not repeated. */
export const eventType = z.enum(EVENT_TYPES).meta({ id: 'EventType' });
