#include "repl/session/clang/module_fixups.h"

#include <algorithm>
#include <set>

#include "repl/session/device/declaration.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

namespace cudash::session {
namespace {

/// Names that clang gives to helpers of one module; they mean nothing to another.
bool is_module_helper(llvm::StringRef name) {
    for (llvm::StringRef prefix : {"__cxx_global_", "_GLOBAL__", "__stmts__", "__const.", ".str", "__cuda_", "__tls_"})
        if (name.starts_with(prefix)) return true;
    return name.empty();
}

}  // namespace

void keep_only_inline(llvm::Module& module) {
    for (const char* list : {"llvm.global_ctors", "llvm.global_dtors", "llvm.used", "llvm.compiler.used"})
        if (auto* variable = module.getNamedGlobal(list)) variable->eraseFromParent();

    std::vector<llvm::GlobalObject*> queue;
    std::set<llvm::GlobalObject*> gone;
    const auto take_out = [&](llvm::GlobalObject* object) {
        if (!object->isDeclaration() && gone.insert(object).second) queue.push_back(object);
    };
    for (llvm::GlobalObject& object : module.global_objects())
        if (!object.hasLinkOnceLinkage() && !object.hasWeakLinkage() && !object.hasPrivateLinkage()) take_out(&object);
    while (!queue.empty()) {
        std::vector<llvm::User*> users(queue.back()->user_begin(), queue.back()->user_end());
        queue.pop_back();
        while (!users.empty()) {
            llvm::User* user = users.back();
            users.pop_back();
            if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
                take_out(instruction->getFunction());
            } else if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(user)) {
                take_out(object);
            } else {
                users.insert(users.end(), user->user_begin(), user->user_end());
            }
        }
    }
    for (llvm::GlobalObject* object : gone) {
        object->setComdat(nullptr);
        if (auto* function = llvm::dyn_cast<llvm::Function>(object)) {
            function->deleteBody();
        } else if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
            variable->setInitializer(nullptr);
            variable->setLinkage(llvm::GlobalValue::ExternalLinkage);
        }
    }
    for (llvm::GlobalObject* object : gone)
        if (object->use_empty()) object->eraseFromParent();
}

namespace {

/// The functions of such a list, by priority, with names that can be looked up.
std::vector<std::string> extract(llvm::Module& module, const char* list_name, const std::string& prefix) {
    auto* variable = module.getNamedGlobal(list_name);
    if (!variable || !variable->hasInitializer()) return {};

    struct Entry {
        std::uint64_t priority;
        llvm::Function* function;
    };
    std::vector<Entry> entries;
    if (auto* list = llvm::dyn_cast<llvm::ConstantArray>(variable->getInitializer())) {
        for (auto& operand : list->operands()) {
            auto* entry = llvm::cast<llvm::ConstantStruct>(operand);
            auto* function = llvm::dyn_cast<llvm::Function>(entry->getOperand(1)->stripPointerCasts());
            if (!function) continue;
            entries.push_back({llvm::cast<llvm::ConstantInt>(entry->getOperand(0))->getZExtValue(), function});
        }
    }
    variable->eraseFromParent();
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.priority < b.priority; });

    std::vector<std::string> names;
    for (const Entry& entry : entries) {
        // A function of the user's own keeps its name.
        if (entry.function->hasLocalLinkage()) {
            entry.function->setName(prefix + module.getName().str() + "." + std::to_string(names.size()));
            entry.function->setLinkage(llvm::GlobalValue::ExternalLinkage);
        }
        names.push_back(entry.function->getName().str());
    }
    return names;
}

}  // namespace

std::vector<std::string> extract_initializers(llvm::Module& module) {
    return extract(module, "llvm.global_ctors", "__cudash_initializer.");
}

std::vector<std::string> extract_finalizers(llvm::Module& module) {
    return extract(module, "llvm.global_dtors", "__cudash_finalizer.");
}

void promote_internal_symbols(llvm::Module& module, const std::function<bool(std::string_view)>& defined) {
    std::set<const llvm::Value*> again, fresh;
    for (llvm::GlobalValue& value : module.global_values()) {
        if (value.isDeclaration()) continue;
        const llvm::StringRef name = value.getName();
        if (!value.hasInternalLinkage() || is_module_helper(name)) {
            fresh.insert(&value);
            continue;
        }
        if (!defined({name.data(), name.size()})) {
            fresh.insert(&value);
            value.setLinkage(llvm::GlobalValue::ExternalLinkage);
            value.setVisibility(llvm::GlobalValue::DefaultVisibility);
            continue;
        }
        if (auto* function = llvm::dyn_cast<llvm::Function>(&value)) {
            function->deleteBody();
        } else if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&value)) {
            again.insert(variable);
            variable->setInitializer(nullptr);
            variable->setLinkage(llvm::GlobalValue::ExternalLinkage);
        }
    }
    if (again.empty()) return;
    // The initialiser of a variable is a function of its own that touches that variable, and no new one.
    for (llvm::Function& function : module) {
        if (function.isDeclaration() || !function.getName().starts_with("__cxx_global_var_init")) continue;
        bool touches_again = false, touches_fresh = false;
        for (const llvm::Instruction& instruction : llvm::instructions(function))
            for (const llvm::Value* operand : instruction.operands()) {
                const llvm::Value* plain = operand->stripPointerCasts();
                touches_again |= again.contains(plain);
                touches_fresh |= fresh.contains(plain) && llvm::isa<llvm::GlobalVariable>(plain) &&
                                 !plain->getName().empty() && !is_module_helper(plain->getName());
            }
        if (!touches_again || touches_fresh) continue;
        function.deleteBody();
        auto* block = llvm::BasicBlock::Create(module.getContext(), "", &function);
        llvm::ReturnInst::Create(module.getContext(), block);
        function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
}

void redirect_managed(llvm::Module& module, const std::string& name) {
    auto* variable = module.getNamedGlobal(name);
    if (!variable) return;
    auto* pointer_type = llvm::PointerType::getUnqual(module.getContext());
    const std::string pointer_name = name + std::string(managed_pointer_suffix);
    auto* pointer = module.getNamedGlobal(pointer_name);
    if (!pointer) {
        const bool defined = !variable->isDeclaration();
        pointer = new llvm::GlobalVariable(module, pointer_type, false, llvm::GlobalValue::ExternalLinkage,
                                           defined ? variable : nullptr, pointer_name);
    }
    llvm::convertUsersOfConstantsToInstructions({variable});
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : variable->uses())
        if (llvm::isa<llvm::Instruction>(use.getUser())) uses.push_back(&use);
    for (llvm::Use* use : uses) {
        auto* instruction = llvm::cast<llvm::Instruction>(use->getUser());
        auto* before = instruction;
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction))
            before = phi->getIncomingBlock(*use)->getTerminator();
        use->set(new llvm::LoadInst(pointer_type, pointer, "managed", before));
    }
}

std::set<std::string> needed_at_once(const llvm::Module& module, const std::vector<std::string>& roots) {
    std::set<std::string> names;
    std::set<const llvm::Value*> seen;
    std::vector<const llvm::Value*> queue;
    const auto reach = [&](const llvm::Value* value) {
        if (llvm::isa<llvm::Constant>(value) && seen.insert(value).second) queue.push_back(value);
    };
    for (const std::string& root : roots)
        if (const auto* function = module.getFunction(root)) reach(function);
    while (!queue.empty()) {
        const llvm::Value* value = queue.back();
        queue.pop_back();
        if (const auto* global = llvm::dyn_cast<llvm::GlobalValue>(value)) names.insert(global->getName().str());
        if (const auto* function = llvm::dyn_cast<llvm::Function>(value)) {
            for (const llvm::Instruction& instruction : llvm::instructions(*function))
                for (const llvm::Value* operand : instruction.operands()) reach(operand);
        } else if (const auto* user = llvm::dyn_cast<llvm::User>(value)) {
            for (const llvm::Value* operand : user->operands()) reach(operand);
        }
    }
    return names;
}

ModuleSymbols symbols_of(const llvm::Module& module) {
    ModuleSymbols symbols;
    for (const llvm::GlobalValue& value : module.global_values()) {
        const llvm::StringRef name = value.getName();
        if (name.empty() || name.starts_with("llvm.")) continue;
        if (value.isDeclaration()) {
            if (value.use_empty() || value.hasExternalWeakLinkage()) continue;
            symbols.undefined.push_back(name.str());
            if (llvm::isa<llvm::GlobalVariable>(value)) symbols.undefined_variables.insert(name.str());
        } else if (value.hasAvailableExternallyLinkage()) {
            if (!value.use_empty()) symbols.undefined.push_back(name.str());
        } else if (value.hasLinkOnceLinkage() || value.hasWeakLinkage()) {
            symbols.weak.push_back(name.str());
        } else if (value.hasExternalLinkage() || value.hasCommonLinkage()) {
            symbols.strong.push_back(name.str());
        }
    }
    return symbols;
}

std::map<std::string, OnceMark> once_marks_of(const llvm::Module& module) {
    std::map<std::string, OnceMark> marks;
    for (const llvm::GlobalVariable& variable : module.globals()) {
        if (variable.isDeclaration() || variable.isThreadLocal() || variable.hasLocalLinkage()) continue;
        const llvm::StringRef name = variable.getName();
        const bool is_guard = name.starts_with("_ZGV");
        if (!is_guard && !(name.starts_with("_ZZ") && name.contains("PerDeviceAttributeCache"))) continue;
        marks.try_emplace(name.str(),
                          OnceMark{module.getDataLayout().getTypeAllocSize(variable.getValueType()), is_guard});
    }
    return marks;
}

}  // namespace cudash::session
