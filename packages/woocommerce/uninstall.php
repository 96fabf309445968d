<?php
/** Deleted by the shopkeeper: key, settings and cursor go; orders keep what belongs to them. */

declare(strict_types=1);

defined('WP_UNINSTALL_PLUGIN') || exit;

// Otherwise tilld would go on sending webhooks to a shop that no longer takes them.
require_once __DIR__ . '/tilld-for-woocommerce.php';
\Tilld\WooCommerce\Connection::close();

$options = ['tilld_connection', 'tilld_site', 'tilld_cursor', 'tilld_waiting', 'tilld_last_webhook', 'tilld_last_reconcile', 'woocommerce_tilld_settings'];
foreach ($options as $option) {
    delete_option($option);
}
global $wpdb;
$wpdb->query("DELETE FROM {$wpdb->options} WHERE option_name LIKE 'tilld\_lock\_%' OR option_name LIKE '\_transient%tilld\_connect\_%'");
wp_clear_scheduled_hook('tilld_reconcile');
