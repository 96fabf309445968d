<?php
/**
 * What an administrator does to be rid of the plugin, each step in a process of its own: leave.php WORDPRESS STEP PLUGIN [JSON]
 *
 * - on: the plugin and WooCommerce are switched on in the whole network
 * - keep: what the plugin writes in the course of time
 * - sites: more sites of a network, each connected to tilld with a key of the JSON, whose settings remove data of orders as well;
 *   prints their ids
 * - delete-site: one of them
 * - off: the plugin and WooCommerce are switched off
 * - delete: the plugin is deleted
 * - left: prints by site what the database still has of it
 */
$_SERVER['HTTP_HOST'] = parse_url(getenv('SHOP_URL'), PHP_URL_HOST);
$_SERVER['REQUEST_URI'] = '/';
define('WP_ADMIN', true);
// A fatal error ends the process as one, not with a page.
define('WP_DISABLE_FATAL_ERROR_HANDLER', true);
[, $wordpress, $step, $pluginFile] = $argv;
$given = json_decode($argv[4] ?? 'null', true);
require $wordpress . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
wp_set_current_user(1);
$inEach = static function (callable $work): array {
    if (!is_multisite()) {
        return [$work()];
    }
    return array_map(static function (string $id) use ($work) {
        switch_to_blog((int) $id);
        $answer = $work();
        restore_current_blog();
        return $answer;
    }, get_sites(['fields' => 'ids']));
};
$keepOne = static function (): void {
    set_transient('tilld_connect_1', ['state' => 'pending'], 1800);
    add_option('tilld_lock_order_1', '0-gone', '', false);
    \Tilld\WooCommerce\Reconcile::schedule();
    add_post_meta(1, '_tilld_payment', 'pay_of_an_order');
};
$steps = [
    'on' => static function () use ($pluginFile): void {
        activate_plugins(['woocommerce/woocommerce.php', $pluginFile], '', true);
    },
    'sites' => static function () use ($given, $keepOne): array {
        $removesOrderData = ['remove_order_data' => 'yes'];
        return array_map(static function (string $key) use ($given, $keepOne, $removesOrderData): int {
            $id = wp_insert_site(['domain' => $_SERVER['HTTP_HOST'], 'path' => '/' . wp_generate_password(8, false) . '/', 'user_id' => 1, 'title' => 'Another shop']);
            switch_to_blog($id);
            \Tilld\WooCommerce\Connection::open($given['url'], ['merchantId' => $given['merchantId'], 'key' => $key]);
            $keepOne();
            update_option('woocommerce_tilld_settings', $removesOrderData);
            restore_current_blog();
            return $id;
        }, $given['keys']);
    },
    'keep' => $keepOne,
    'delete-site' => static function () use ($given): void {
        wp_delete_site($given['id']);
    },
    'off' => static function () use ($pluginFile): void {
        deactivate_plugins([$pluginFile, 'woocommerce/woocommerce.php'], false, is_multisite());
        deactivate_plugins([$pluginFile, 'woocommerce/woocommerce.php']);
    },
    'delete' => static function () use ($pluginFile): void {
        if (function_exists('WC')) {
            throw new RuntimeException('WooCommerce is still loaded');
        }
        uninstall_plugin($pluginFile);
    },
    'left' => static function () use ($inEach): array {
        return $inEach(static function (): array {
            global $wpdb;
            $hooks = array_merge(...array_map('array_keys', array_filter(array_values(_get_cron_array()), 'is_array')));
            return [
                'options' => $wpdb->get_col("SELECT option_name FROM {$wpdb->options} WHERE option_name LIKE '%tilld%' ORDER BY option_name"),
                'isScheduled' => in_array('tilld_reconcile', $hooks, true),
                'orderData' => (int) $wpdb->get_var("SELECT COUNT(*) FROM {$wpdb->postmeta} WHERE meta_key LIKE '\\_tilld\\_%'"),
            ];
        });
    },
];
echo wp_json_encode($steps[$step]());
