<?php
/**
 * Plugin Name: tilld for WooCommerce
 * Plugin URI: https://github.com/tilld/tilld/tree/main/packages/woocommerce
 * Description: Accept Bitcoin, Litecoin, Ethereum and Solana with your own nodes. Needs a tilld daemon.
 * Version: 0.1.0
 * Requires at least: 6.4
 * Requires PHP: 7.4
 * Requires Plugins: woocommerce
 * WC requires at least: 8.2
 * WC tested up to: 10.0
 * Author: tilld
 * License: MIT
 * License URI: https://opensource.org/license/mit
 * Text Domain: tilld-for-woocommerce
 * Domain Path: /languages
 */

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

const FILE = __FILE__;
const GATEWAY = 'tilld';
const CRON = 'tilld_reconcile';
/** Of the plugin, which browsers keep its scripts by. */
const VERSION = '0.1.0';

require_once __DIR__ . '/vendor/Tilld.php';
foreach (['Vault', 'Lock', 'Log', 'Transport', 'Sites', 'Addresses', 'Connection', 'Removal', 'ConnectPages', 'Dashboard', 'Amounts', 'Methods', 'PaymentSettings', 'OrderStatuses', 'Confirmations', 'Embedding', 'PayPage', 'Checkout', 'OtherOrders', 'CartOrder', 'WayBack', 'PaymentLink', 'OrderState', 'OrderPayments', 'Orders', 'Refunds', 'RefundMails', 'RefundFees', 'DeletedRefunds', 'RefundsInTilld', 'Cancelling', 'Webhook', 'Reconcile', 'Health', 'ConnectionPanel', 'Notices', 'Privacy', 'Plugin'] as $part) {
    require_once __DIR__ . "/src/{$part}.php";
}

register_activation_hook(__FILE__, [Plugin::class, 'activate']);
register_deactivation_hook(__FILE__, [Plugin::class, 'deactivate']);
Plugin::hook();
