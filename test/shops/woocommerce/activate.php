<?php
// Switches on the plugins and puts one article on sale; in a process of its own, as WordPress was installed in another.
$_SERVER['HTTP_HOST'] = parse_url(getenv('SHOP_URL'), PHP_URL_HOST);
$_SERVER['REQUEST_URI'] = '/';
define('WP_ADMIN', true);
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
wp_set_current_user(1);
$plugin = $argv[2];
$problem = activate_plugin($plugin);
if (is_wp_error($problem)) {
    fwrite(STDERR, $problem->get_error_message());
    exit(1);
}
if ($plugin === 'woocommerce/woocommerce.php') {
    // The first page of the administration would lead to the wizard.
    delete_transient('_wc_activation_redirect');
    update_option('woocommerce_currency', 'USD');
    update_option('woocommerce_manage_stock', 'yes');
    update_option('woocommerce_hold_stock_minutes', '60');
    update_option('woocommerce_custom_orders_table_enabled', 'yes');
    update_option('woocommerce_coming_soon', 'no');
    return;
}
update_option('woocommerce_tilld_settings', ['enabled' => 'yes', 'title' => 'Coins', 'description' => 'By your own nodes', 'url' => $argv[3], 'test_mode' => 'yes']);
$product = new WC_Product_Simple();
$product->set_name('Mug');
$product->set_regular_price('20');
update_option('shop_test_product', $product->save());
