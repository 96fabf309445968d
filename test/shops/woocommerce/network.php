<?php
// Turns the site into a network, as the administrator's page of WordPress does: network.php WORDPRESS
$_SERVER['HTTP_HOST'] = parse_url(getenv('SHOP_URL'), PHP_URL_HOST);
$_SERVER['REQUEST_URI'] = '/';
define('WP_ADMIN', true);
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/network.php';
foreach ($wpdb->tables('ms_global') as $table => $name) {
    $wpdb->$table = $name;
}
install_network();
$result = populate_network(1, $_SERVER['HTTP_HOST'], 'owner@shop.example', 'Corner shops', '/', false);
if (is_wp_error($result) && $result->get_error_code() !== 'no_wildcard_dns') {
    fwrite(STDERR, $result->get_error_message());
    exit(1);
}
