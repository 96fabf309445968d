import type { NoteLanguage } from './options';

/** The texts of the plugin's pages and of its health check. `{text}` is a placeholder. */
type PageText =
  | 'title'
  | 'connected'
  | 'key'
  | 'webhook'
  | 'node'
  | 'yes'
  | 'no'
  | 'connect'
  | 'connect_again'
  | 'all_well'
  | 'not_connected'
  | 'endpoint_missing'
  | 'key_refused'
  | 'no_answer'
  | 'refused_by_owner'
  | 'start_again'
  | 'not_asked_here'
  | 'no_key'
  | 'done';

const en: Record<PageText, string> = {
  title: 'tilld in {text}',
  connected: 'Connected',
  key: 'Key accepted',
  webhook: 'Webhook endpoint',
  node: 'Node follows',
  yes: 'yes',
  no: 'no',
  connect: 'Connect with tilld',
  connect_again: 'Connect again',
  all_well: 'All is well',
  not_connected: 'Not connected',
  endpoint_missing: 'Its webhook endpoint is missing or switched off: connect again.',
  key_refused: 'tilld refuses the key: it was deleted or has expired. Connect again.',
  no_answer: 'tilld does not answer: {text}',
  refused_by_owner: 'You did not agree. Nothing was changed.',
  start_again: 'Please start again.',
  not_asked_here: 'This connection was not asked for here, or too long ago. Please start again.',
  no_key: 'tilld did not give a key. Please start again.',
  done: 'This shop takes coins through tilld now. You can close this window.',
};

const de: Record<PageText, string> = {
  title: 'tilld in {text}',
  connected: 'Verbunden',
  key: 'Schlüssel gilt',
  webhook: 'Webhook-Endpunkt',
  node: 'Node folgt der Kette',
  yes: 'ja',
  no: 'nein',
  connect: 'Mit tilld verbinden',
  connect_again: 'Neu verbinden',
  all_well: 'Alles in Ordnung',
  not_connected: 'Nicht verbunden',
  endpoint_missing: 'Der Webhook-Endpunkt fehlt oder ist abgeschaltet: Verbinden Sie neu.',
  key_refused: 'tilld lehnt den Schlüssel ab: Er wurde gelöscht oder ist abgelaufen. Verbinden Sie neu.',
  no_answer: 'tilld antwortet nicht: {text}',
  refused_by_owner: 'Sie haben nicht zugestimmt. Es wurde nichts geändert.',
  start_again: 'Bitte beginnen Sie noch einmal.',
  not_asked_here:
    'Diese Verbindung wurde hier nicht angefordert, oder vor zu langer Zeit. Bitte beginnen Sie noch einmal.',
  no_key: 'tilld hat keinen Schlüssel gegeben. Bitte beginnen Sie noch einmal.',
  done: 'Dieser Shop nimmt jetzt Kryptowährungen über tilld an. Sie können dieses Fenster schließen.',
};

const es: Record<PageText, string> = {
  title: 'tilld en {text}',
  connected: 'Conectado',
  key: 'Clave aceptada',
  webhook: 'Punto de recepción de webhooks',
  node: 'El nodo sigue la cadena',
  yes: 'sí',
  no: 'no',
  connect: 'Conectar con tilld',
  connect_again: 'Volver a conectar',
  all_well: 'Todo en orden',
  not_connected: 'No conectado',
  endpoint_missing: 'Falta su punto de recepción de webhooks o está desactivado: vuelva a conectar.',
  key_refused: 'tilld rechaza la clave: se eliminó o ha caducado. Vuelva a conectar.',
  no_answer: 'tilld no responde: {text}',
  refused_by_owner: 'No dio su consentimiento. No se ha cambiado nada.',
  start_again: 'Empiece de nuevo.',
  not_asked_here: 'Esta conexión no se pidió aquí, o hace demasiado tiempo. Empiece de nuevo.',
  no_key: 'tilld no ha dado ninguna clave. Empiece de nuevo.',
  done: 'Esta tienda ya acepta criptomonedas con tilld. Puede cerrar esta ventana.',
};

const fr: Record<PageText, string> = {
  title: 'tilld dans {text}',
  connected: 'Connecté',
  key: 'Clé acceptée',
  webhook: 'Point de réception des webhooks',
  node: 'Le nœud suit la chaîne',
  yes: 'oui',
  no: 'non',
  connect: 'Connecter à tilld',
  connect_again: 'Connecter à nouveau',
  all_well: 'Tout va bien',
  not_connected: 'Non connecté',
  endpoint_missing: 'Son point de réception des webhooks manque ou est désactivé : connectez à nouveau.',
  key_refused: 'tilld refuse la clé : elle a été supprimée ou a expiré. Connectez à nouveau.',
  no_answer: 'tilld ne répond pas : {text}',
  refused_by_owner: 'Vous n’avez pas donné votre accord. Rien n’a été modifié.',
  start_again: 'Veuillez recommencer.',
  not_asked_here: 'Cette connexion n’a pas été demandée ici, ou il y a trop longtemps. Veuillez recommencer.',
  no_key: 'tilld n’a pas donné de clé. Veuillez recommencer.',
  done: 'Cette boutique accepte désormais les cryptomonnaies avec tilld. Vous pouvez fermer cette fenêtre.',
};

const pt: Record<PageText, string> = {
  title: 'tilld em {text}',
  connected: 'Ligado',
  key: 'Chave aceite',
  webhook: 'Ponto de receção de webhooks',
  node: 'O nó segue a cadeia',
  yes: 'sim',
  no: 'não',
  connect: 'Ligar ao tilld',
  connect_again: 'Ligar novamente',
  all_well: 'Está tudo bem',
  not_connected: 'Não ligado',
  endpoint_missing: 'O seu ponto de receção de webhooks falta ou está desativado: ligue novamente.',
  key_refused: 'O tilld recusa a chave: foi eliminada ou expirou. Ligue novamente.',
  no_answer: 'O tilld não responde: {text}',
  refused_by_owner: 'Não deu o seu acordo. Nada foi alterado.',
  start_again: 'Comece de novo.',
  not_asked_here: 'Esta ligação não foi pedida aqui, ou há demasiado tempo. Comece de novo.',
  no_key: 'O tilld não deu nenhuma chave. Comece de novo.',
  done: 'Esta loja já aceita criptomoedas através do tilld. Pode fechar esta janela.',
};

const TEXTS: Readonly<Record<NoteLanguage, Readonly<Record<PageText, string>>>> = { en, de, es, fr, pt };

/** A text of the plugin's pages, in the shopkeeper's language. */
export function pageText(language: NoteLanguage | undefined, name: PageText, text = ''): string {
  return TEXTS[language ?? 'en'][name].replace('{text}', () => text);
}
